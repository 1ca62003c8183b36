/* Numbers as people read them. */

/** 1234567 -> "1,234,567": grouped alike in every language's browser, so that it can be compared. */
export function count(number) {
  return String(number).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

export function bytes(number) {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let unit = 0;
  let size = number;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 || size >= 99.95 ? size.toFixed(0) : size.toFixed(1)} ${units[unit]}`;
}

/** Milliseconds to the microsecond: "1,234.567". */
export function milliseconds(ms) {
  const [whole, fraction] = Math.abs(ms).toFixed(3).split('.');
  return `${ms < 0 ? '−' : ''}${count(whole)}.${fraction}`;
}

/** A length of time in a unit that suits it: "0", "12 µs", "3.4 ms", "1.25 s". */
export function duration(us) {
  if (us === 0)
    return '0';
  const [value, unit] = us < 1000 ? [us, 'µs'] : us < 1e6 ? [us / 1000, 'ms'] : [us / 1e6, 's'];
  return `${Number(value.toPrecision(4))} ${unit}`;
}

export function plural(number, one, many = `${one}s`) {
  return `${count(number)} ${number === 1 ? one : many}`;
}
