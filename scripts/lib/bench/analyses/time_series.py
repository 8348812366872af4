# A year of readings: gaps, resampling, windows, seasons, lags.
s = x.set_index("at").sort_index()
hourly = s.groupby("sensor")["value"].resample("h").mean().unstack("sensor")
filled = hourly.interpolate(limit=6).ffill()
day = filled.resample("D").agg(["mean", "max"])
rolling = filled.rolling("7D").mean().iloc[-1]
season = filled.groupby(filled.index.hour).mean()
change = filled.resample("W").mean().pct_change()
lag = filled.corrwith(filled.shift(24))
odd = ((filled - filled.rolling(168).mean()) / filled.rolling(168).std()).abs() > 4
result = [
    len(hourly), round(float(day.sum().sum()), 4), round(float(rolling.sum()), 6),
    round(float(season.sum().sum()), 6), round(float(change.abs().sum().sum()), 6),
    round(float(lag.sum()), 8), int(odd.sum().sum()),
]
