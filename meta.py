import sys; sys.path[:0]=['/tmp/s/b/tests','/tmp/s/b/tests/formats']
import subprocess, json, pathlib, tempfile
import books, os
import openpyxl
os.chdir('/tmp/s/b/tests')
from test_book_formats import book, ROWS, FORMATS
d=pathlib.Path(tempfile.mkdtemp()); (d/'data').mkdir(); (d/'data/b.xlsx').write_bytes(book(ROWS,FORMATS))
import pyarrow.parquet as pq
sql='''SELECT paid, paid AS p2, sum(paid) OVER () s, min(paid) OVER () m, paid*100 x100, paid*2.0 x2, -paid neg, abs(paid) ab, round(paid,1) r, coalesce(paid,0) co, CASE WHEN got>2 THEN paid ELSE 0 END ca, CASE WHEN got>2 THEN paid ELSE left END ca2, CAST(paid AS VARCHAR) t, CAST(paid AS INT) i, paid + left pl, nullif(paid,3) nu, greatest(paid,left) g, lag(paid) OVER (ORDER BY left) la, first_value(paid) OVER (ORDER BY left) fv, paid > 2 cmp, paid % 2 md, paid/got q, ln(paid) l, (SELECT max(paid) FROM b) mx FROM b'''
for q in [sql, 'SELECT sum(paid) s, avg(paid) a, min(paid) m, count(paid) c, count(distinct paid) d, array_agg(paid) ar, median(paid) me, stddev(paid) sd, first_value(paid) f FROM b', 'SELECT paid FROM b UNION ALL SELECT left FROM b','SELECT left AS z FROM b UNION ALL SELECT paid FROM b', 'WITH t AS (SELECT paid AS z FROM b) SELECT z FROM t', 'SELECT * FROM (VALUES (1.0)) v(x) CROSS JOIN (SELECT paid FROM b) u', 'SELECT sum(paid) AS s, grown FROM b GROUP BY grown']:
    r=subprocess.run([os.environ['D'],'--home',str(d/'home'),'query',q,'--data',str(d/'data'),'--json'],capture_output=True,text=True)
    try: ref=json.loads(r.stdout)['dataRef']
    except Exception: print(r.stdout[:600], r.stderr[:300]); continue
    f,=(d/'home').glob(f'artifacts/*/{ref}.parquet')
    print([(x.name, x.metadata) for x in pq.read_schema(f) if x.metadata and b'dataroom.unit' in x.metadata])
