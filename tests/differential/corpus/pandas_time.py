### to_datetime of many formats
for text, options in [("2024-02-29", {}), ("29.02.2024", {"format": "%d.%m.%Y"}), ("29/02/2024", {"dayfirst": True}), ("02/29/2024", {}), ("2024-02-29T12:34:56.789Z", {}), ("2024-02-29 12:34:56+05:30", {}), ("20240229", {}), ("Feb 29, 2024", {}), ("29 February 2024 3pm", {}), ("2024-W09-4", {"format": "%G-W%V-%u"}), ("2024-060", {"format": "%Y-%j"}), ("12:30", {"format": "%H:%M"}), ("1709164800", {"unit": "s"}), ("now?", {}), ("2023-02-29", {}), ("", {}), ("NaT", {}), ("24-2-29", {"yearfirst": True}), ("2024-02-29 12", {}), ("29-Feb-24", {"format": "%d-%b-%y"}), ("2024-02-29 01:02:03.123456789", {}), ("0001-01-01", {}), ("9999-12-31", {})]:
    attempt(lambda: pd.to_datetime(text, **options), lambda: pd.to_datetime(pd.Series([text, None]), **options))

### to_datetime of numbers
show(pd.to_datetime([0, 1709164800], unit="s"), pd.to_datetime([1.5], unit="D"), pd.to_datetime([1709164800123], unit="ms"), pd.to_datetime(1709164800123456789), pd.to_datetime([45000], unit="D", origin="1899-12-30"), pd.to_datetime(pd.Series([2**31, 2**33]), unit="s"), pd.to_datetime(pd.DataFrame({"year": [2024], "month": [2], "day": [29], "hour": [5]})), pd.to_datetime(np.array([2**31, 2**40], np.int64), unit="ms"))
attempt(lambda: pd.to_datetime([2**62], unit="s"), lambda: pd.to_datetime(2**70), lambda: pd.to_datetime([1e20], unit="s"), lambda: pd.to_datetime([True]))

### to_datetime errors and mixtures
attempt(lambda: pd.to_datetime(["2024-01-01", "x"]), lambda: pd.to_datetime(["2024-01-01", "x"], errors="coerce"), lambda: pd.to_datetime(["2024-01-01", "01/02/2024"]), lambda: pd.to_datetime(["2024-01-01", "01/02/2024"], format="mixed"), lambda: pd.to_datetime(["13/01/2024", "01/13/2024"], errors="coerce"), lambda: pd.to_datetime(["2024-01-01", "2024-01-01T00:00:00+01:00"], utc=True), lambda: pd.to_datetime(["2024-01-01", "2024-01-01 00:00+01:00"]), lambda: pd.to_datetime(["2024-01-01 00:00+01:00", "2024-07-01 00:00+02:00"]), lambda: pd.to_datetime(["2024-01-01", 5]))

### dates in a column of text
#: inputs people
d = pd.to_datetime(people["joined"], format="%d.%m.%Y")
show(d.head(5), d.dt.year.value_counts().sort_index(), d.dt.month * 10**8, d.dt.month.astype(int) * 2**31, d.min(), d.max() - d.min(), (d - d.min()).dt.days.sum() * 2**31, d.dt.strftime("%Y/%m").head(3), d.dt.to_period("Q").value_counts().sort_index().head(4))

### parts of dates
#: inputs sales
w = sales["when"]
show(w.dt.year.head(2), w.dt.dayofweek.head(3) * 10**9, w.dt.isocalendar().head(2), w.dt.hour.sum() * 10**9, w.dt.dayofyear.head(2), w.dt.quarter.dtype, w.dt.is_month_end.sum(), w.dt.days_in_month.head(2), w.dt.day_name().head(2), w.dt.month_name().head(2), w.dt.normalize().head(2), w.dt.date.head(2), w.dt.time.head(2), w.dt.floor("h").head(2), w.dt.ceil("15min").head(2), w.dt.round("D").head(2), w.dt.nanosecond.sum(), w.dt.microsecond.head(2), w.astype("int64").head(2), w.dt.is_leap_year.all(), w.dt.minute.dtype)

### time zones
t = pd.Series(pd.to_datetime(["2024-03-31 01:30", "2024-03-31 03:30", "2024-10-27 02:30"]))
attempt(lambda: t.dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin"), lambda: t.dt.tz_localize("Europe/Berlin", ambiguous="NaT", nonexistent="shift_forward"), lambda: t.dt.tz_localize("Europe/Berlin"), lambda: t.dt.tz_localize("Europe/Berlin", ambiguous=[True, False, True]), lambda: t.dt.tz_localize("America/New_York").dt.tz_convert("Asia/Kolkata"), lambda: t.dt.tz_localize("Nowhere/City"), lambda: t.dt.tz_localize("+03:00"), lambda: t.dt.tz_localize("UTC").dt.tz_localize(None), lambda: t.dt.tz_convert("UTC"), lambda: t - t.dt.tz_localize("UTC"), lambda: t.dt.tz_localize("UTC").dt.tz_convert("Asia/Kathmandu").dt.hour * 2**31, lambda: t.dt.tz_localize("UTC").dt.tz_convert("Europe/Moscow").dt.date, lambda: t.dt.tz_localize("Asia/Tokyo").astype("int64"))

### old and future zone rules
s = pd.to_datetime(["1900-01-01", "1945-05-24", "1970-01-01", "2010-07-01", "2024-07-01", "2037-07-01", "2100-07-01"], utc=True)
for zone in ("Europe/Moscow", "America/Sao_Paulo", "Europe/London", "Australia/Lord_Howe", "Asia/Pyongyang", "Africa/Casablanca", "Pacific/Apia", "America/Caracas", "Europe/Kyiv", "US/Eastern"):
    show([t.isoformat() for t in s.tz_convert(zone)])

### columns with zones in and out
#: inputs typed
outputs["t"] = typed[["zoned", "naive"]]
show(typed["zoned"], typed["zoned"].dt.hour, typed["zoned"].dt.tz_convert("UTC"), typed["naive"].dt.tz_localize("UTC"), typed["zoned"].min(), typed["zoned"].dt.normalize(), typed["zoned"].diff())

### time arithmetic
t = pd.Timestamp("2024-02-29 12:00")
show(t + pd.Timedelta("1D"), t + pd.DateOffset(years=1), t + pd.offsets.MonthEnd(), t - pd.Timestamp("2000-01-01"), t + pd.offsets.BDay(3), t.replace(year=2023, day=28), t.floor("h"), t.to_period("M"), t.value, t.timestamp(), t.isoformat(), t.weekday(), t.week, t + np.timedelta64(5, "h"), pd.Timestamp(2024, 1, 1) < t, t.as_unit("ns"), t.unit, t.to_julian_date(), t + pd.offsets.QuarterBegin(), t - pd.offsets.YearEnd(), t.day_name(), pd.Timestamp.max, pd.Timestamp.min, pd.Timestamp("2024-01-01T00:00:00.000000001").nanosecond)
attempt(lambda: t + pd.Timedelta(days=10**6), lambda: pd.Timestamp("x"), lambda: pd.Timestamp(2024, 2, 30), lambda: t + 1, lambda: t < pd.Timestamp("2024-01-01", tz="UTC"), lambda: pd.Timestamp(2**63), lambda: t * 2)

### timedeltas
d = pd.Series(pd.to_timedelta(["1 days 02:03:04.5", "-1h", None, "90 min"]))
show(d, d.sum(), d.mean(), d.dt.total_seconds(), d.dt.days, d.dt.components, d / pd.Timedelta("1h"), d // pd.Timedelta("1h"), d * 2, d.abs(), d.dt.seconds * 2**31, d.astype("int64", errors="ignore") if False else 0, pd.to_timedelta([2**40], unit="us"), pd.Timedelta("1.5D").total_seconds(), pd.Timedelta(days=1) / 2, pd.Timedelta("1h") % pd.Timedelta("25min"), d.max(), d.round("h"), d.std(), pd.Timedelta(2**62).days, d.quantile(0.5), d.cumsum(), d.rank(), d.dt.round("D"))
attempt(lambda: pd.to_timedelta("x"), lambda: pd.Timedelta(2**63), lambda: d + 1, lambda: pd.to_timedelta([1e20], unit="D"))

### periods
p = pd.period_range("2023-11", periods=4, freq="M")
show(p, p.year, p.month * 2**31, p.to_timestamp(), p + 1, p.asfreq("D", "end"), p.asfreq("Q"), p[0].ordinal, p.start_time, p.end_time, p.astype("int64") if hasattr(p, "astype") else 0, p.get_indexer(["2023-12"]), p.get_indexer(["2023-12"]) * 2**31, pd.Period("2024Q1") + 2, pd.Period("2024Q1", freq="Q-JAN").start_time, pd.Period("2024-02-29", "D").dayofweek, pd.Series(p).dt.quarter, (p[3] - p[0]).n * 2**31, pd.Series(range(4), index=p).resample("Q").sum(), pd.Period("2024", "Y").is_leap_year, pd.PeriodIndex(["2024-W05"], freq="W") if False else 0, pd.Series(p).astype(str), p.day.dtype, p.to_series().diff())
attempt(lambda: pd.Period("x", "D"), lambda: pd.Period("2024", "M") - pd.Period("2024", "D"), lambda: pd.period_range("2024", periods=2, freq="nope"))

### date ranges
for freq, periods in [("D", 3), ("MS", 3), ("ME", 3), ("W-WED", 3), ("QE", 3), ("YS", 3), ("B", 6), ("h", 3), ("15min", 3), ("2D", 3), ("BME", 3), ("SMS", 4), ("WOM-2THU", 3), ("-1D", 3), ("CBMS", 2), ("D", 0), ("1D1h", 2), ("bh", 3), ("us", 2)]:
    show(pd.date_range("2024-01-30 10:00", periods=periods, freq=freq))
show(pd.date_range("2024-01-01", "2024-01-02", periods=3), pd.date_range("2024-03-30", periods=3, tz="Europe/Berlin"), pd.bdate_range("2024-01-05", periods=3), pd.timedelta_range("1h", periods=3, freq="30min"), pd.date_range("2024-01-01", "2024-01-03", inclusive="left"), pd.infer_freq(pd.date_range("2024-01-01", periods=5, freq="W")))

### resample
#: inputs prices
s = prices.set_index("day")
show(s["price"].resample("ME").mean(), s["volume"].resample("W").sum().head(4), s.resample("QS").agg({"price": "last", "volume": "sum"}), s["price"].resample("2W").ohlc().head(3), s["volume"].resample("MS").count(), s["price"].resample("12h").ffill().head(4), s["price"].resample("ME", closed="left", label="left").sum().head(2), s["volume"].resample("ME").sum() * 2, s.resample("MS").size(), s["price"].resample("10D", origin="start").max().head(3), s["price"].asfreq("6h").head(5), s["price"].resample("h").interpolate().head(4), s["price"].resample("W").apply(lambda x: x.iloc[-1] - x.iloc[0]).head(3), s["price"].resample("MS").quantile(0.9))

### indexing by dates
#: inputs prices
s = prices.set_index("day")["price"]
show(s["2023-02"].head(3), s.loc["2023-01-05":"2023-01-08"], s.at[pd.Timestamp("2023-01-02")], s.truncate(before="2023-06-25").head(3), s.asof("2023-02-10 12:00"), s.index.get_indexer(pd.to_datetime(["2023-01-05", "2025-01-01"])), s.index.searchsorted(pd.Timestamp("2023-01-05")) * 2**31, s.between_time("00:00", "01:00").head(2), s.at_time("00:00").head(2), s.first_valid_index(), s.shift(2, freq="D").head(2), s.shift(1).head(2), s.index.dayofweek.value_counts(), s.index.get_loc("2023-01-05") * 2**31, s.index[[0, -1]], s.idxmax())
attempt(lambda: s["2030-01-01"], lambda: s.loc["x"], lambda: s.index.get_loc("2030"))

### units of time
for unit in ("s", "ms", "us", "ns"):
    s = pd.Series(pd.to_datetime(["2024-01-01 00:00:01", None])).astype(f"datetime64[{unit}]")
    show(s, s.astype("int64") if s.notna().all() else 0, s + pd.Timedelta("1ns") if unit == "ns" else s + pd.Timedelta("1s"), s.diff(), s.max(), s.dt.unit, s.dt.as_unit("ms"))
    outputs[f"t_{unit}"] = s.to_frame("m")

### rolling and expanding
#: inputs prices
s = prices["price"]
show(s.rolling(7).mean().tail(4), s.rolling(7, min_periods=1).sum().head(4), s.rolling(5, center=True).median().tail(5), s.rolling(10).std().tail(3), s.expanding(3).var().tail(2), s.rolling(5).apply(lambda v: v.max() - v.min(), raw=True).tail(3), s.rolling(6).quantile(0.25).tail(3), s.rolling(4).corr(prices["volume"]).tail(3), s.rolling(5).skew().tail(2), s.rolling(5).kurt().tail(2), prices["volume"].rolling(30).sum().tail(3), s.rolling(3).rank().tail(3), s.rolling(4, win_type="triang").mean().tail(2), s.rolling(4, closed="left").max().tail(2), s.rolling(3).count().head(43).tail(4), s.rolling(5, step=40).min(), s.rolling(7).sem().tail(2))

### rolling by time
#: inputs prices
s = prices.set_index("day")["volume"]
show(s.rolling("7D").sum().tail(3), s.rolling("36h").max().head(3), s.rolling("30D", min_periods=5).mean().head(6), s.rolling("3D", closed="both").count().head(5), s.rolling("10D").apply(lambda v: v.iloc[0]).tail(2), s.rolling("5D", center=True).sum().head(3))

### exponential windows
#: inputs prices
s = prices["price"].head(60)
show(s.ewm(span=5).mean().tail(3), s.ewm(alpha=0.3, adjust=False).mean().tail(3), s.ewm(halflife=2).std().tail(2), s.ewm(com=3, ignore_na=True).mean().tail(3), s.ewm(span=4).var(bias=True).tail(2), s.ewm(span=10).corr(prices["volume"].head(60)).tail(2))

### rolling sums of wide integers
#: inputs wide_integers
show(wide_integers["small"].rolling(3).sum().tail(3), wide_integers["small"].expanding().sum().tail(2), wide_integers["small"].rolling(2).max().tail(2), wide_integers[["small", "tiny"]].rolling(5).sum().tail(2), wide_integers["small"].cumsum().tail(2), wide_integers["big"].rolling(2).min().tail(3), wide_integers["tiny"].rolling(50).sum().tail(2), wide_integers["small"].diff().tail(3), wide_integers["tiny"].diff().tail(3))

### custom window indexers
from pandas.api.indexers import BaseIndexer, FixedForwardWindowIndexer
s = pd.Series([1, 2, 3, 4, 2**40])
class Whole(BaseIndexer):
    def get_window_bounds(self, num_values=0, min_periods=None, center=None, closed=None, step=None):
        return np.zeros(num_values, dtype=np.int64), np.arange(1, num_values + 1, dtype=np.int64)
show(s.rolling(FixedForwardWindowIndexer(window_size=2)).sum(), s.rolling(Whole(window_size=1), min_periods=1).sum(), [list(w) for w in s.rolling(2)])

### business days and holidays
from pandas.tseries.holiday import USFederalHolidayCalendar
from pandas.tseries.offsets import CustomBusinessDay
h = USFederalHolidayCalendar().holidays("2024-01-01", "2024-12-31")
show(h, pd.Timestamp("2024-07-03") + CustomBusinessDay(calendar=USFederalHolidayCalendar()), np.busday_count("2024-01-01", "2025-01-01", holidays=h.values.astype("M8[D]")) * 2**31)

### Python's datetime
import datetime as dt, zoneinfo, calendar
b = zoneinfo.ZoneInfo("Europe/Berlin")
show(dt.datetime(2024, 3, 31, 3, 30, tzinfo=b).utcoffset(), dt.datetime(2024, 1, 1, tzinfo=b).timestamp(), dt.datetime.fromtimestamp(2**33, b).isoformat(), dt.date(2024, 2, 29).isocalendar()[1], dt.timedelta(days=1) / dt.timedelta(hours=5), dt.datetime.strptime("29.02.2024", "%d.%m.%Y").date(), calendar.monthrange(2024, 2)[1], dt.date.max.toordinal() * 2**31, dt.datetime.fromisoformat("2024-02-29T01:02:03+05:30").isoformat(), dt.datetime(2500, 1, 1, tzinfo=dt.timezone.utc).timestamp(), dt.datetime.fromtimestamp(-1e10, dt.timezone.utc).isoformat())
