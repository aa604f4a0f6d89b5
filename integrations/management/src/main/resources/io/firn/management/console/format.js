// Numbers and times for people to read.

const WHOLE = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const SHORT = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
const NONE = '–';

const isNumber = (value) => typeof value === 'number' && Number.isFinite(value);

/** 1,234,567 */
export function count(value) {
  return isNumber(value) ? WHOLE.format(value) : NONE;
}

/** 1.23M, 4.56k */
export function short(value) {
  return isNumber(value) ? SHORT.format(value).replace('K', 'k') : NONE;
}

/** What has no value yet has no unit. */
export const perSecond = (format) => (value) => (isNumber(value) ? `${format(value)}/s` : NONE);

/** One thing, or several: plural(2, 'member') is '2 members'. */
export function plural(value, noun) {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

function significant(value) {
  return value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

/** 1.50 MiB */
export function bytes(value) {
  if (!isNumber(value)) {
    return NONE;
  }
  let unit = 0;
  let size = value;
  while (size >= 1000 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  return `${unit === 0 ? WHOLE.format(size) : significant(size)} ${UNITS[unit]}`;
}

/** 12.5 ms, 3.20 s, 4 min 5 s, 2 h 10 min, 3 d 4 h */
export function duration(ms) {
  if (!isNumber(ms)) {
    return NONE;
  }
  if (ms === 0) {
    return '0 s';
  }
  if (ms < 1) {
    return `${significant(ms * 1000)} µs`;
  }
  if (ms < 1000) {
    return `${significant(ms)} ms`;
  }
  if (ms < 10_000) {
    return `${(ms / 1000).toFixed(2)} s`;
  }
  return parts(Math.floor(ms / 1000));
}

function parts(seconds) {
  const units = [[86_400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];
  const first = units.findIndex(([size]) => seconds >= size);
  const [size, name] = units[first];
  const whole = `${Math.floor(seconds / size)} ${name}`;
  const next = units[first + 1];
  const rest = next ? Math.floor((seconds % size) / next[0]) : 0;
  return rest > 0 ? `${whole} ${rest} ${next[1]}` : whole;
}

/** 2026-11-28 15:43:01, in the time of the browser */
export function time(ms) {
  const date = new Date(ms);
  if (!isNumber(ms) || Number.isNaN(date.getTime())) {
    return isNumber(ms) ? `${ms} ms` : NONE;
  }
  const two = (value) => String(value).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} `
      + `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** The same with its milliseconds. */
export function exactTime(ms) {
  const text = time(ms);
  return text.includes(':') ? `${text}.${String(((ms % 1000) + 1000) % 1000).padStart(3, '0')}` : text;
}

/** 42 % */
export function percent(share) {
  return isNumber(share) ? `${Math.round(100 * share)} %` : NONE;
}
