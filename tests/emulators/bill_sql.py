"""Bills of every format as tables of DuckDB, and the printed SQL over them beside the sums of the cubes.

    bill_sql.py make DATA OUT       writes bills with a line of every kind to OUT, prints all bills as JSON
    bill_sql.py compare JOBS.json   runs the SQL of each job on its bill, prints how many rows were compared
"""

import csv
import json
import os
import re
import sys
from decimal import Decimal

import duckdb

# What of CUR the lines below fill, by the names of the legacy CSV.
CUR = {
    "id": "identity/LineItemId", "payer": "bill/PayerAccountId", "period": "bill/BillingPeriodStartDate",
    "account": "lineItem/UsageAccountId", "type": "lineItem/LineItemType", "start": "lineItem/UsageStartDate",
    "end": "lineItem/UsageEndDate", "code": "lineItem/ProductCode", "usage": "lineItem/UsageType",
    "operation": "lineItem/Operation", "resource": "lineItem/ResourceId", "quantity": "lineItem/UsageAmount",
    "currency": "lineItem/CurrencyCode", "cost": "lineItem/UnblendedCost", "name": "product/ProductName",
    "region": "product/regionCode", "family": "product/productFamily", "list": "pricing/publicOnDemandCost",
    "rate": "pricing/publicOnDemandRate", "plan": "savingsPlan/SavingsPlanARN",
    "plan_cost": "savingsPlan/SavingsPlanEffectiveCost", "committed": "savingsPlan/TotalCommitmentToDate",
    "used": "savingsPlan/UsedCommitment", "reservation": "reservation/ReservationARN",
    "reserved_cost": "reservation/EffectiveCost", "parent": "splitLineItem/ParentResourceId",
    "split": "splitLineItem/SplitCost", "unused_upfront": "reservation/UnusedAmortizedUpfrontFeeForBillingPeriod",
    "unused_fee": "reservation/UnusedRecurringFee", "net": "lineItem/NetUnblendedCost",
    "net_plan_cost": "savingsPlan/NetSavingsPlanEffectiveCost", "net_reserved_cost": "reservation/NetEffectiveCost",
    "net_unused_upfront": "reservation/NetUnusedAmortizedUpfrontFeeForBillingPeriod",
    "net_unused_fee": "reservation/NetUnusedRecurringFee",
}
NUMBERS = {"quantity", "cost", "list", "rate", "plan_cost", "committed", "used", "reserved_cost", "split",
           "unused_upfront", "unused_fee", "net", "net_plan_cost", "net_reserved_cost", "net_unused_upfront",
           "net_unused_fee"}
# Columns of tags; tables name the last one by an underscore.
TAGS = {"team": "resourceTags/user:team", "center": "resourceTags/user:CostCenter", "unit": "costCategory/Unit"}

PLAN = "arn:aws:savingsplans::1:savingsplan/p"
RESERVATION = "arn:aws:ec2:us-east-1:1:reserved-instances/r"
USE = {"payer": "9", "period": "2026-10-01T00:00:00Z", "account": "000000000001", "type": "Usage",
       "start": "2026-10-02T03:00:00Z", "end": "2026-10-02T04:00:00Z", "code": "AmazonEC2", "usage": "BoxUsage:p5.48xlarge",
       "operation": "RunInstances", "resource": "i-1", "quantity": "1", "currency": "USD", "cost": "1.1",
       "name": "Amazon Elastic Compute Cloud", "region": "us-east-1", "family": "Compute Instance", "list": "1.5"}

CUR_LINES = [
    {}, {"cost": "0.1", "team": "pretrain"}, {"cost": "0.2", "net": "0.15", "team": "train-7b"},
    {"cost": "0.0000001", "list": "", "team": "Serve-web", "center": "42"}, {"cost": "1234567.1234567891"},
    {"cost": "", "list": ""}, {"list": "", "rate": "0.1", "quantity": "3"}, {"list": "", "rate": "98.32"},
    {"cost": "3e-7", "unit": "research"}, {"resource": "", "region": "Global", "code": "AmazonRoute53", "name": ""},
    {"start": "2026-10-01T00:00:00Z", "end": "2026-11-01T00:00:00Z", "code": "AmazonS3", "usage": "TimedStorage-ByteHrs"},
    {"start": "2026-10-25T00:00:00Z", "end": "2026-10-26T01:00:00Z"}, {"start": "2026-10-25T00:00:00Z", "end": ""},
    {"start": "2026-09-30T23:00:00Z", "end": "2026-10-01T00:00:00Z"},
    {"period": "2026-09-01T00:00:00Z", "start": "2026-09-05T00:00:00Z", "end": "2026-09-06T00:00:00Z", "cost": "77"},
    {"type": "SavingsPlanCoveredUsage", "plan": PLAN, "cost": "10", "plan_cost": "6.5", "net_plan_cost": "6.25"},
    {"type": "SavingsPlanCoveredUsage", "plan": PLAN, "cost": "10", "plan_cost": "6.75"},
    {"type": "SavingsPlanNegation", "plan": PLAN, "cost": "-20", "list": "-30"},
    {"type": "SavingsPlanRecurringFee", "plan": PLAN, "cost": "15", "committed": "15", "used": "13.25", "resource": PLAN,
     "code": "ComputeSavingsPlans", "name": "Savings Plans for AWS Compute usage", "usage": "ComputeSP:1yrNoUpfront", "list": ""},
    {"type": "SavingsPlanRecurringFee", "plan": PLAN, "cost": "5", "committed": "5", "used": "5", "resource": PLAN,
     "code": "ComputeSavingsPlans", "name": "Savings Plans for AWS Compute usage", "usage": "ComputeSP:1yrNoUpfront", "list": "",
     "start": "2026-10-03T00:00:00Z", "end": "2026-10-03T01:00:00Z"},
    {"type": "SavingsPlanUpfrontFee", "plan": PLAN, "cost": "100", "code": "ComputeSavingsPlans"},
    {"type": "DiscountedUsage", "reservation": RESERVATION, "cost": "0", "reserved_cost": "2.5", "net_reserved_cost": "2.25"},
    {"type": "RIFee", "reservation": RESERVATION, "cost": "30", "unused_upfront": "4.1", "unused_fee": "1.2",
     "start": "2026-10-01T00:00:00Z", "end": "2026-11-01T00:00:00Z", "resource": "", "usage": "HeavyUsage:p5.48xlarge"},
    {"type": "RIFee", "reservation": RESERVATION + "2", "cost": "30", "unused_fee": "1.2", "net_unused_fee": "1.1",
     "usage": "HeavyUsage:p5.48xlarge"},
    {"type": "Fee", "reservation": RESERVATION, "cost": "500"}, {"type": "Fee", "code": "AmazonRegistrar", "cost": "12"},
    {"type": "Fee", "code": "OCBPremiumSupport", "cost": "15000"},
    {"code": "AWSSupportBusiness", "usage": "Dollar", "cost": "100"}, {"type": "Tax", "cost": "9.99", "usage": "", "list": ""},
    {"type": "Credit", "cost": "-2.25"}, {"type": "Refund", "cost": "-1"}, {"type": "EdpDiscount", "cost": "-0.5"},
    {"type": "BundledDiscount", "cost": "-0.25"}, {"type": "LaterUsage", "cost": "3"},
    {"type": "LaterUsage", "code": "AWSSupportBusiness", "cost": "4"},
    {"parent": "i-1", "split": "0.5", "cost": "", "resource": "pod"},
    {"usage": "USE1-EUC1-AWS-Out-Bytes", "operation": ""}, {"usage": "AWS-Out-Bytes"}, {"usage": "VPN-Usage-Hours:ipsec.1"},
    {"usage": "USE2-DataXfer-Out:dc.1"}, {"usage": "USE2-DataXfer-Out:dcx1"}, {"usage": "", "operation": "InterZone-In"},
    {"usage": "USW2-NatGateway-Hours"}, {"usage": "x", "family": "Data Transfer"}, {"code": "AmazonCloudFront"},
    {"usage": "USE1-EBS:VolumeUsage.gp3"}, {"code": "AmazonSageMaker", "name": "Amazon SageMaker", "usage": "USE1-Train:ml.p5"},
    {"code": "AmazonSageMaker", "name": "Amazon SageMaker", "usage": "USE1-Host:ml.g5", "team": "pretrain"},
    {"code": "acme", "name": "Acme (it's 50% off)", "family": "AWS Marketplace"}, {"code": "acme", "name": "Support (Basic)"},
    {"code": "awskms", "name": "AWS Key Management Service", "usage": "KMS-Requests", "family": ""},
    {"account": "000000000002", "team": "pretrain", "resource": "arn:aws:s3:::data", "code": "AmazonS3"},
]

FOCUS = ["BillingAccountId", "SubAccountId", "SubAccountName", "BillingPeriodStart", "ChargePeriodStart", "ChargePeriodEnd",
         "ChargeCategory", "ChargeClass", "PricingCategory", "ServiceName", "ServiceCategory", "x_ServiceCode", "x_Operation",
         "RegionId", "ResourceId", "CommitmentDiscountId", "CommitmentDiscountStatus", "CommitmentDiscountType",
         "ConsumedUnit", "PricingUnit", "BillingCurrency", "ProviderName", "PublisherName", "ChargeDescription",
         "CommitmentDiscountCategory", "ConsumedQuantity", "PricingQuantity", "BilledCost", "EffectiveCost", "ListCost"]
FOCUS_USE = {"BillingAccountId": "9", "SubAccountId": "1", "BillingPeriodStart": "2026-10-01T00:00:00Z",
             "ChargePeriodStart": "2026-10-02T00:00:00Z", "ChargePeriodEnd": "2026-10-03T00:00:00Z",
             "ChargeCategory": "Usage", "PricingCategory": "Standard", "ServiceName": "Amazon Elastic Compute Cloud",
             "ServiceCategory": "Compute", "x_ServiceCode": "AmazonEC2", "RegionId": "us-east-1", "ResourceId": "i-1",
             "BillingCurrency": "usd", "BilledCost": "1.1", "EffectiveCost": "1.1", "ListCost": "1.5", "meter": "BoxUsage"}
COMMITMENT = {"CommitmentDiscountId": PLAN, "CommitmentDiscountType": "Savings Plan"}
FOCUS_LINES = [
    {}, {"team": "pretrain", "BilledCost": "0.1", "EffectiveCost": "0.2"}, {"team": "serve-1", "ListCost": ""},
    {"ChargeCategory": "Purchase", "BilledCost": "20", "EffectiveCost": "0", **COMMITMENT},
    {"BilledCost": "0", "EffectiveCost": "13.5", **COMMITMENT},
    {"BilledCost": "0", "EffectiveCost": "6.5", "CommitmentDiscountStatus": "Unused", **COMMITMENT},
    {"ChargeCategory": "Purchase", "x_ServiceCode": "AmazonRegistrar"}, {"ChargeCategory": "Tax", "EffectiveCost": "3"},
    {"ChargeCategory": "credit", "BilledCost": "-1", "EffectiveCost": "-1"}, {"ChargeCategory": "Adjustment"},
    {"ChargeClass": "Correction"}, {"ChargeCategory": "Tax", "ChargeClass": "Correction"},
    {"ChargeCategory": "Purchase", "ChargeClass": "correction", **COMMITMENT},
    {"x_ServiceCode": "AWSSupportEnterprise"}, {"x_ServiceCode": "", "ServiceName": "AWS Support (Business)"},
    {"ChargeCategory": "Purchase", "x_ServiceCode": "OCBPremiumSupport", **COMMITMENT}, {"ChargeCategory": "Later"},
    {"RegionId": "global"}, {"SubAccountId": ""}, {"ResourceId": ""}, {"meter": "USE1-USW2-AWS-Out-Bytes"},
    {"meter": "EBS:VolumeUsage.gp3"}, {"ServiceCategory": "Networking", "ServiceName": "x", "x_ServiceCode": "x"},
    {"ServiceName": "Acme", "x_ServiceCode": "", "ServiceCategory": "AI and Machine Learning", "BilledCost": "1e-9"},
    {"ChargePeriodEnd": "2026-11-01T00:00:00Z"}, {"ChargePeriodStart": "2026-11-01T00:00:00Z", "ChargePeriodEnd": ""},
    {"BillingPeriodStart": "2026-09-01T00:00:00Z", "ChargePeriodStart": "2026-09-02T00:00:00Z"},
]


def snake(name):
    return re.sub(r"(?<!^)(?<![_/])([A-Z])", r"_\1", name).replace("/", "_").replace(":", "_").lower()


def lit(value, kind):
    if value == "":
        return "NULL"
    text = "'" + value.replace("'", "''") + "'"
    return text if kind == "VARCHAR" else f"CAST({text} AS {kind})"


def parquet(path, columns, rows):
    """columns: name to type and to the SQL of a row's value"""
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    db.execute("CREATE TABLE t (%s)" % ", ".join(f'"{name}" {kind}' for name, (kind, _) in columns.items()))
    for row in rows:
        db.execute("INSERT INTO t VALUES (%s)" % ", ".join(value(row) for _, value in columns.values()))
    db.execute(f"COPY t TO '{path}' (FORMAT parquet)")


def tag_map(pairs):
    pairs = [(key, value) for key, value in pairs if value]
    keys, values = [[lit(pair[i], "VARCHAR") for pair in pairs] for i in (0, 1)]
    return "MAP([%s]::VARCHAR[], [%s]::VARCHAR[])" % (", ".join(keys), ", ".join(values))


def make(data, out):
    lines = [{**USE, **line, "id": f"line-{i}"} for i, line in enumerate(CUR_LINES)]
    names = {**CUR, **TAGS}
    with open(f"{out}/every-cur1.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(names.values())
        writer.writerows([line.get(key, "") for key in names] for line in lines)

    def cell(key, kind):
        return lambda line: lit(line.get(key, ""), kind)

    columns = {"bill_payer_account_name": ("VARCHAR", lambda line: "'payer'")}
    for key, name in CUR.items():
        kind = "DOUBLE" if key in NUMBERS else "TIMESTAMP" if key in ("period", "start", "end") else "VARCHAR"
        if key not in ("name",):
            columns[snake(name)] = (kind, cell(key, kind))
    columns["product"] = ("MAP(VARCHAR, VARCHAR)", lambda line: tag_map([("product_name", line.get("name"))]))
    columns["resource_tags"] = ("MAP(VARCHAR, VARCHAR)", lambda line: tag_map(
        [("user_Team", line.get("team") and "other"), ("user_team", line.get("team")), ("user_cost_center", line.get("center"))]))
    columns["cost_category"] = ("MAP(VARCHAR, VARCHAR)", lambda line: tag_map([("unit", line.get("unit"))]))
    parquet(f"{out}/every-cur2.parquet", columns, lines)
    narrow = {name: of for name, of in columns.items() if "unused" not in name and "commitment" not in name}
    parquet(f"{out}/narrow-cur2.parquet", narrow, lines)

    lines = [{**FOCUS_USE, **line} for line in FOCUS_LINES]
    for version, meter in (("1.0", "x_UsageType"), ("1.2", "SkuMeter")):
        columns = {}
        for name in FOCUS:
            kind = "DOUBLE" if name.endswith(("Cost", "Quantity")) else "TIMESTAMP" if "Period" in name else "VARCHAR"
            columns[name] = (kind, cell(name, kind))
        columns[meter] = ("VARCHAR", cell("meter", "VARCHAR"))
        columns["Tags"] = ("MAP(VARCHAR, VARCHAR)", lambda line: tag_map([("user:Team", line.get("team"))]))
        if version == "1.2":
            columns["InvoiceId"] = columns["CapacityReservationStatus"] = ("VARCHAR", lambda line: "NULL")
        else:
            columns["x_CostCategories"] = ("MAP(VARCHAR, VARCHAR)", lambda line: tag_map([]))
        parquet(f"{out}/every-focus{version}.parquet", columns, lines)

    bills = [f"{out}/every-cur1.csv", f"{out}/every-cur2.parquet", f"{out}/narrow-cur2.parquet",
             f"{out}/every-focus1.0.parquet", f"{out}/every-focus1.2.parquet"]
    bills += [os.path.join(data, name) for name in sorted(os.listdir(data)) if "synthetic" in name or name.startswith("cur1-")]
    bills = [bill for bill in bills if bill.endswith((".csv", ".csv.gz", ".parquet"))]
    print(json.dumps([{"file": bill, "columns": described(bill)[1], "period": described(bill)[2]} for bill in bills]))


def described(bill):
    """A connection with the table `cur.bill`, its columns as Athena names them, and the first period in it."""
    db = duckdb.connect()
    db.execute("SET TimeZone = 'UTC'")
    db.execute("CREATE SCHEMA cur")
    if ".csv" in bill:
        # As the table of a legacy report: columns of one name but for its case are one.
        db.execute(f"CREATE TABLE raw AS SELECT * FROM read_csv('{bill}', all_varchar = true, header = false)")
        header = [cell or "" for cell in db.execute("SELECT * FROM raw LIMIT 1").fetchone()]
        columns = {}
        for at, name in sorted(enumerate(header), key=lambda of: of[1] != of[1].lower()):
            columns.setdefault(snake(name), []).append(f'"{db.table("raw").columns[at]}"')
        select = ", ".join(f'coalesce({", ".join(of)}) AS "{name}"' for name, of in columns.items())
        db.execute(f"CREATE TABLE cur.bill AS SELECT {select}, '2026' AS year, '10' AS month FROM raw OFFSET 1")
    else:
        db.execute(f"CREATE TABLE cur.bill AS SELECT *, '2026-10' AS billing_period FROM read_parquet('{bill}')")
    columns = [(row[0], row[1]) for row in db.execute("DESCRIBE cur.bill").fetchall()]
    named = [name + (" map" if kind.startswith("MAP") else "") for name, kind in columns]
    start = next(name for name, _ in columns if name.lower() in ("bill_billing_period_start_date", "billingperiodstart"))
    period = db.execute(f"SELECT max(substr(CAST({start} AS VARCHAR), 1, 7)) FROM cur.bill").fetchone()[0]
    if period != "2026-10":
        db.execute(f"UPDATE cur.bill SET year = '{period[:4]}', month = '{int(period[5:])}'")
    return db, named, period


COSTS = ["billed_usd", "effective_usd", "list_usd", "net_usd", "line_items"]


def compare(jobs):
    tables, rows, wrong = {}, 0, []
    for job in jobs:
        keys = job["keys"].split(",")
        db = tables.setdefault(job["file"], described(job["file"])[0])
        found = {}
        for row in db.execute(job["sql"]).fetchall():
            values = tuple(None if value is None else value.strip() for value in row[: len(keys)])
            sums = [Decimal(cell or 0) for cell in row[len(keys) + 1 : len(keys) + 1 + len(COSTS)]]
            assert row[len(keys)] == "USD" and values not in found, row
            found[values] = sums
        report = json.loads(job["report"], parse_float=Decimal, parse_int=Decimal)
        wanted = {}
        for row in report["rows"]:
            values = tuple(row["tag" if key.startswith("tag:") else key] for key in keys)
            wanted[values] = [Decimal(row[cost] or 0) for cost in COSTS]
        total = [sum(sums[at] for sums in found.values()) for at in range(len(COSTS))]
        assert total == [Decimal(report["total"][cost] or 0) for cost in COSTS], job["file"]
        rows += len(wanted)
        for values in {**found, **wanted}:
            if found.get(values) != wanted.get(values):
                wrong.append(f"{job['file']} {job['keys']} {values}: SQL {found.get(values)}, cube {wanted.get(values)}")
    if wrong:
        sys.exit("\n".join(wrong[:40]))
    print(rows)


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(*sys.argv[2:4])
    else:
        with open(sys.argv[2]) as jobs:
            compare(json.load(jobs))
