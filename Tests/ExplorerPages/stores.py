"""The stores of the tests: created once per run and copied for each test."""
import os
import shutil
import sqlite3
import subprocess
import tempfile

COREDATA = os.environ.get("COREDATA", "coredata")
FOLDER = tempfile.mkdtemp(prefix="explorer-pages-")
_made = {}

# Every kind of value, rule and relationship that the pages support.
MODEL = """<?xml version="1.0" encoding="UTF-8"?>
<model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
  <entity name="Kind" representedClassName="Kind">
    <attribute name="name" attributeType="String" minValueString="2" maxValueString="20"/>
    <attribute name="small" optional="YES" attributeType="Integer 16" minValueString="0" maxValueString="130" usesScalarValueType="YES"/>
    <attribute name="large" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
    <attribute name="price" optional="YES" attributeType="Decimal"/>
    <attribute name="ratio" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
    <attribute name="flag" optional="YES" attributeType="Boolean" usesScalarValueType="NO"/>
    <attribute name="day" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
    <attribute name="bytes" optional="YES" attributeType="Binary"/>
    <attribute name="key" optional="YES" attributeType="UUID" usesScalarValueType="NO"/>
    <attribute name="link" optional="YES" attributeType="URI"/>
  </entity>
  <entity name="Note" representedClassName="Note">
    <attribute name="text" optional="YES" attributeType="String"/>
    <attribute name="long" optional="YES" attributeType="String"/>
  </entity>
  <entity name="Step" representedClassName="Step">
    <attribute name="name" attributeType="String"/>
    <attribute name="position" attributeType="Integer 32" defaultValueString="0" usesScalarValueType="YES"/>
    <relationship name="plan" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Plan" inverseName="steps" inverseEntity="Plan"/>
  </entity>
  <entity name="Plan" representedClassName="Plan">
    <attribute name="name" attributeType="String"/>
    <relationship name="steps" optional="YES" toMany="YES" ordered="YES" deletionRule="Cascade" destinationEntity="Step" inverseName="plan" inverseEntity="Step"/>
    <relationship name="locks" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Lock" inverseName="plan" inverseEntity="Lock"/>
  </entity>
  <entity name="Lock" representedClassName="Lock">
    <attribute name="name" attributeType="String"/>
    <attribute name="shown" optional="YES" transient="YES" attributeType="String"/>
    <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
    <attribute name="tags" optional="YES" attributeType="Transformable"/>
    <attribute name="own" optional="YES" attributeType="Transformable" valueTransformerName="OwnTransformer"/>
    <relationship name="plan" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Plan" inverseName="locks" inverseEntity="Plan"/>
  </entity>
  <entity name="Shape" representedClassName="Shape" isAbstract="YES">
    <attribute name="name" attributeType="String"/>
  </entity>
  <entity name="Circle" representedClassName="Circle" parentEntity="Shape">
    <attribute name="radius" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
  </entity>
  <entity name="Square" representedClassName="Square" parentEntity="Shape">
    <attribute name="side" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
  </entity>
  <composite name="Place">
    <attribute name="town" optional="YES" attributeType="String" maxValueString="20"/>
    <attribute name="founded" optional="YES" attributeType="Date"/>
    <attribute name="spot" optional="YES" attributeType="Composite" composite="Spot"/>
  </composite>
  <composite name="Spot">
    <attribute name="north" attributeType="Double"/>
    <attribute name="east" attributeType="Double"/>
  </composite>
  <fetchRequest name="kindsFrom" entity="Kind" predicateString="small &gt;= $LEAST AND name BEGINSWITH[c] $BEGIN"/>
</model>
"""

# Values that a store may hold and that a page must show only as text.
HOSTILE = [
    "<script>window.__hit=1</script>", "<img src=x onerror=window.__hit=1>", "\"><svg onload=window.__hit=1>",
    "javascript:window.__hit=1", "'; DROP TABLE ZNOTE; --", "{{constructor}} ${1}", "\u202egnp.exe\u202c turned",
    "bell\u0007 escape\u001b[31mred", "line one\nline two\ttab\r", "\u200b\u200bunseen", "العربية", "👩‍👩‍👧 family",
    "</script></style></textarea></title>",
]


def _run(*arguments):
    done = subprocess.run([COREDATA, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def _sample(path, rows):
    _run("sample", path, "--rows", str(rows))


def _kinds(path):
    model = os.path.join(FOLDER, "Kinds.xcdatamodel")
    os.makedirs(model, exist_ok=True)
    with open(os.path.join(model, "contents"), "w", encoding="utf-8") as file:
        file.write(MODEL)
    # A sample store is migrated to this model, so no separate program is needed to create a store.
    _sample(path, 10)
    _run("migrate", path, "--to", model, "--yes", "--quiet")
    _keep_history(path)
    for number in range(1, 6):
        _run("insert", path, "Step", f"name=Step {'ABCDE'[number - 1]}", f"position={number}")
    _run("insert", path, "Plan", "name=Plan one", "steps=p1,p2,p3")
    _run("insert", path, "Plan", "name=Plan two")
    _run("insert", path, "Lock", "name=Lock", "plan=p2")
    _run("insert", path, "Circle", "name=Round", "radius=1.5")
    _run("insert", path, "Square", "name=Angular", "side=2")
    _run("insert", path, "Kind", "name=First", "small=7", "large=9007199254740993", "price=12.30", "ratio=0.25", "flag=YES",
         "day=2024-05-01T10:00:00Z", "bytes=AAEC/w==", "key=726165B2-817B-4C3A-ADEC-8746454CCF93", "link=https://example.org/")
    _run("insert", path, "Kind", "name=Second", "small=50")
    _run("insert", path, "Kind", "name=Third")
    for text in HOSTILE:
        _run("insert", path, "Note", f"text={text}")
    # Neither a null character nor a megabyte can be a command-line argument.
    _run("insert", path, "Note", "text=long", "long=x")
    _run("insert", path, "Note", "text=null")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE ZNOTE SET ZLONG = ? WHERE ZTEXT = 'long'", ("0123456789" * 100_000,))
        database.execute("UPDATE ZNOTE SET ZTEXT = 'null' || char(0) || char(1) || '<b>' WHERE ZTEXT = 'null'")
    database.close()


def _keep_history(path):
    """Creates history tables with one transaction, so that later writers record history."""
    with sqlite3.connect(path) as database:
        database.executescript("""
            CREATE TABLE ATRANSACTION (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAUTHORTS INTEGER, ZBUNDLEIDTS INTEGER,
              ZCONTEXTNAMETS INTEGER, ZPROCESSIDTS INTEGER, ZTIMESTAMP FLOAT, ZAUTHOR VARCHAR, ZBUNDLEID VARCHAR, ZCONTEXTNAME VARCHAR,
              ZPROCESSID VARCHAR, ZQUERYGEN BLOB);
            CREATE TABLE ATRANSACTIONSTRING (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
            CREATE UNIQUE INDEX Z_TRANSACTIONSTRING_UNIQUE_NAME ON ATRANSACTIONSTRING (ZNAME COLLATE BINARY ASC);
            CREATE TABLE ACHANGE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCHANGETYPE INTEGER, ZENTITY INTEGER,
              ZENTITYPK INTEGER, ZTRANSACTIONID INTEGER, ZCOLUMNS BLOB);
            INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (16001, 'CHANGE', 0, 0), (16002, 'TRANSACTION', 0, 0),
              (16003, 'TRANSACTIONSTRING', 0, 0);
            INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (1, 16003, 'First <author>');
            INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZTIMESTAMP) VALUES (1, 16002, 1, 700000000.0);
            UPDATE Z_PRIMARYKEY SET Z_MAX = 1 WHERE Z_ENT IN (16002, 16003);
            """)
    database.close()


def _multiply(path, count):
    """Copies the existing people under new keys until there are `count`."""
    with sqlite3.connect(path) as database:
        known, = database.execute("SELECT MAX(Z_PK) FROM ZPERSON").fetchone()
        database.execute("""
            WITH RECURSIVE rounds(round) AS (SELECT 1 UNION ALL SELECT round + 1 FROM rounds WHERE round <= ?2 / ?1)
            INSERT INTO ZPERSON (Z_PK, Z_ENT, Z_OPT, ZAGE, ZDISPLAYORDER, ZFIRSTNAME, ZLASTNAME)
            SELECT Z_PK + round * ?1, Z_ENT, 1, ZAGE, ZDISPLAYORDER + round * ?1, ZFIRSTNAME || ' ' || round, ZLASTNAME FROM rounds, ZPERSON
            WHERE Z_PK + round * ?1 <= ?2""", (known, count))
        database.execute("UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_NAME = 'Person'", (count,))
    database.close()


def copy(name):
    """Copies a store and returns the path of the copy: `sample` (10,000 rows), `kinds` (the model above), `million` (a million people)."""
    if name not in _made:
        path = os.path.join(FOLDER, f"{name}.sqlite")
        if name == "kinds":
            _kinds(path)
        else:
            _sample(path, 10_000)
        if name == "million":
            _multiply(path, 1_000_000)
        with sqlite3.connect(path) as database:
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.close()
        _made[name] = path
    folder = tempfile.mkdtemp(dir=FOLDER)
    path = os.path.join(folder, f"{name}.sqlite")
    shutil.copyfile(_made[name], path)
    return path


def change(path, *arguments):
    """Changes a store from another process: runs the tool's `insert`, `update` or `delete` with the arguments."""
    command, *rest = arguments
    yes = [] if command == "insert" else ["--yes"]
    return _run(command, path, *rest, "--write", *yes)


def remove_all():
    shutil.rmtree(FOLDER, ignore_errors=True)
