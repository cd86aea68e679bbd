"""Measures how long SQLAlchemy's unit of work takes for one of the benchmarks, in the file of a store.

    sqlalchemy_peer.py insert|modify|graph FILE COUNT

Prints the processor time in nanoseconds, without the time to start the program and to configure the mappings. The file
already has the tables of the store. Their columns and indexes, the journal mode and the page size are the same for all
contestants. Rows are inserted with their keys, as SQLAlchemy's documentation recommends for many rows, and objects do
not expire at the commit.
"""

import sys
import time

from sqlalchemy import ForeignKey, create_engine, event, select
from sqlalchemy.orm import (
    DeclarativeBase, Mapped, Session, configure_mappers, mapped_column, relationship)


class Base(DeclarativeBase):
    key: Mapped[int] = mapped_column("Z_PK", primary_key=True)
    entity: Mapped[int] = mapped_column("Z_ENT")
    version: Mapped[int] = mapped_column("Z_OPT")


class Reading(Base):
    __tablename__ = "ZREADING"
    n0: Mapped[int] = mapped_column("ZN0")
    n1: Mapped[int] = mapped_column("ZN1")
    n2: Mapped[int] = mapped_column("ZN2")
    n3: Mapped[int] = mapped_column("ZN3")
    n4: Mapped[int] = mapped_column("ZN4")
    n5: Mapped[int] = mapped_column("ZN5")
    n6: Mapped[int] = mapped_column("ZN6")
    n7: Mapped[int] = mapped_column("ZN7")
    n8: Mapped[int] = mapped_column("ZN8")
    n9: Mapped[int] = mapped_column("ZN9")


class Department(Base):
    __tablename__ = "ZDEPARTMENT"
    name: Mapped[str] = mapped_column("ZNAME")
    amount: Mapped[int] = mapped_column("ZAMOUNT")
    employees: Mapped[list["Employee"]] = relationship(back_populates="department")


class Employee(Base):
    __tablename__ = "ZEMPLOYEE"
    name: Mapped[str] = mapped_column("ZNAME")
    amount: Mapped[int] = mapped_column("ZAMOUNT")
    department_key: Mapped[int] = mapped_column("ZDEPARTMENT", ForeignKey("ZDEPARTMENT.Z_PK"))
    department: Mapped[Department] = relationship(back_populates="employees")
    projects: Mapped[list["Project"]] = relationship(back_populates="employee")


class Project(Base):
    __tablename__ = "ZPROJECT"
    name: Mapped[str] = mapped_column("ZNAME")
    amount: Mapped[int] = mapped_column("ZAMOUNT")
    employee_key: Mapped[int] = mapped_column("ZEMPLOYEE", ForeignKey("ZEMPLOYEE.Z_PK"))
    employee: Mapped[Employee] = relationship(back_populates="projects")


def insert(session, count):
    session.add_all(
        Reading(
            key=row, entity=1, version=1, n0=row * 31, n1=row * 31 + 1, n2=row * 31 + 2,
            n3=row * 31 + 3, n4=row * 31 + 4, n5=row * 31 + 5, n6=row * 31 + 6, n7=row * 31 + 7,
            n8=row * 31 + 8, n9=row * 31 + 9)
        for row in range(1, count + 1))
    session.commit()


def modify(session, count):
    for reading in session.scalars(select(Reading)).all():
        reading.n0 += 1
    session.commit()


def graph(session, count):
    """Inserts `count` departments, each with 37 employees, each with 26 projects."""
    employee_key = project_key = 0
    for number in range(1, count + 1):
        department = Department(
            key=number, entity=1, version=1, name=f"Department {number}", amount=number)
        for _ in range(37):
            employee_key += 1
            employee = Employee(
                key=employee_key, entity=2, version=1, name=f"Employee {employee_key}",
                amount=employee_key, department=department)
            for _ in range(26):
                project_key += 1
                Project(
                    key=project_key, entity=3, version=1, name=f"Project {project_key}",
                    amount=project_key, employee=employee)
        session.add(department)
    session.commit()


def main():
    work, file, count = sys.argv[1:]
    engine = create_engine(f"sqlite:///{file}")

    @event.listens_for(engine, "connect")
    def set_pragmas(connection, _):
        connection.execute("PRAGMA journal_mode = WAL")

    configure_mappers()
    with Session(engine, expire_on_commit=False) as session:
        session.connection()
        start = time.process_time_ns()
        {"insert": insert, "modify": modify, "graph": graph}[work](session, int(count))
        print(time.process_time_ns() - start)


main()
