/*
 * Passes by layers. Rows and columns in sight are elements, no others: a
 * thousand passes of a hundred layers are a hundred thousand cells. The
 * head and the first column stay in sight by position: sticky.
 */
import {milliseconds, plural} from './format.js';
import {inPass, passOf} from './report.js';

const ROW = 26;
const HEAD = 84; /* width of the first column */

export class Table {
  constructor(element, caption, report, choose, again) {
    Object.assign(this, {element, caption, report, choose, again});
    this.track = 0;
    this.value = 'start';
    this.guide = -1;
    this.inner = document.createElement('div');
    this.inner.className = 'cells';
    this.inner.setAttribute('role', 'presentation');
    element.append(this.inner);
    element.addEventListener('scroll', () => this.later());
    element.addEventListener('keydown', (event) => this.key(event));
    element.addEventListener('click', (event) => this.click(event));
    new ResizeObserver(() => this.draw()).observe(element);
    this.setTrack(0);
  }

  later() {
    if (this.waiting)
      return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.draw();
    });
  }

  setTrack(number) {
    this.track = number;
    const track = this.data();
    this.guide = -1;
    this.element.setAttribute('aria-rowcount', track.passes.length + 1);
    this.element.setAttribute('aria-colcount', track.longestPass + 1);
    this.setValue(this.value);
  }

  setValue(value) {
    this.value = value;
    const track = this.data();
    const longest = track.count === 0 ? 0 : track.relativeEnd[track.count - 1];
    this.width = Math.max(72, milliseconds(value === 'start' ? longest : 0).length * 7.5 + 18);
    const what = value === 'start' ? 'start, in ms from the start of the trace' : 'length of the guide, in ms';
    this.caption.textContent =
        `${plural(track.passes.length, 'pass', 'passes')} of ${plural(track.longestPass, 'layer')}: ${what}`;
    this.draw();
  }

  data() {
    return this.report.tracks[this.track];
  }

  show(track, guide) {
    if (track !== this.track)
      this.setTrack(track);
    this.guide = guide;
    if (guide < 0 || this.element.clientHeight === 0)
      return this.draw();
    const pass = passOf(this.data(), guide);
    const column = guide - this.data().passes[pass].from;
    const {scrollTop, scrollLeft, clientHeight, clientWidth} = this.element;
    const top = pass * ROW;
    const left = column * this.width;
    const room = {height: clientHeight - ROW, width: clientWidth - HEAD};
    if (top < scrollTop || top + ROW > scrollTop + room.height)
      this.element.scrollTop = Math.max(0, top - (room.height - ROW) / 2);
    if (left < scrollLeft || left + this.width > scrollLeft + room.width)
      this.element.scrollLeft = Math.max(0, left - (room.width - this.width) / 2);
    return this.draw();
  }

  go(guide) {
    this.choose(this.track, passOf(this.data(), guide), guide);
  }

  /** Moves by rows and columns; stays within the table. */
  move(rows, columns) {
    const track = this.data();
    const at = Math.max(0, this.guide);
    const pass = passOf(track, at);
    const other = Math.max(0, Math.min(track.passes.length - 1, pass + rows));
    const {from, to} = track.passes[other];
    this.go(Math.max(from, Math.min(to - 1, inPass(track, at, other) + columns)));
  }

  key(event) {
    if (event.altKey || event.metaKey || this.data().count === 0)
      return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 2);
    const actions = {
      ArrowUp: () => this.move(-1, 0),
      ArrowDown: () => this.move(1, 0),
      ArrowLeft: () => this.move(0, -1),
      ArrowRight: () => this.move(0, 1),
      PageUp: () => this.move(-page, 0),
      PageDown: () => this.move(page, 0),
      Home: () => (event.ctrlKey ? this.go(0) : this.move(0, -Infinity)),
      End: () => (event.ctrlKey ? this.go(this.data().count - 1) : this.move(0, Infinity)),
      Enter: () => this.again(),
    };
    if (actions[event.key] === undefined)
      return;
    event.preventDefault();
    actions[event.key]();
  }

  click(event) {
    const cell = event.target.closest('[data-guide]');
    const head = event.target.closest('[data-pass]');
    if (cell !== null)
      this.go(Number(cell.dataset.guide));
    else if (head !== null)
      this.choose(this.track, Number(head.dataset.pass), -1);
  }

  cell(role, text, column, left) {
    const cell = document.createElement('div');
    cell.className = role === 'gridcell' ? 'cell' : 'cell head';
    cell.setAttribute('role', role);
    cell.setAttribute('aria-colindex', column);
    cell.textContent = text;
    cell.style.left = `${left}px`;
    cell.style.width = `${column === 1 ? HEAD : this.width}px`;
    return cell;
  }

  row(index, top) {
    const row = document.createElement('div');
    row.className = index === 1 ? 'line first' : 'line';
    row.setAttribute('role', 'row');
    row.setAttribute('aria-rowindex', index);
    if (index > 1)
      row.style.transform = `translateY(${top}px)`;
    return row;
  }

  number(i) {
    const track = this.data();
    return milliseconds(this.value === 'start' ? track.relativeStart[i] : track.relativeEnd[i] - track.relativeStart[i]);
  }

  head(columns) {
    const track = this.data();
    const row = this.row(1, 0);
    const corner = this.cell('columnheader', '', 1, 0);
    corner.classList.add('pinned');
    row.append(corner);
    const longest = track.passes.find((pass) => pass.to - pass.from === track.longestPass);
    for (let c = columns.first; c < columns.last; c++)
      row.append(this.cell('columnheader', `L${track.layer[longest.from + c]}`, c + 2, HEAD + c * this.width));
    return row;
  }

  line(number, columns) {
    const track = this.data();
    const pass = track.passes[number];
    const row = this.row(number + 2, (number + 1) * ROW);
    const head = this.cell('rowheader', `Pass ${pass.index}`, 1, 0);
    head.classList.add('pinned');
    head.dataset.pass = number;
    row.append(head);
    for (let c = columns.first; c < columns.last && pass.from + c < pass.to; c++) {
      const i = pass.from + c;
      const cell = this.cell('gridcell', this.number(i), c + 2, HEAD + c * this.width);
      cell.dataset.guide = i;
      if (i === this.guide) {
        cell.id = 'cell-active';
        cell.setAttribute('aria-selected', 'true');
      }
      row.append(cell);
    }
    return row;
  }

  draw() {
    const track = this.data();
    const {scrollTop, scrollLeft, clientHeight, clientWidth} = this.element;
    if (clientHeight === 0 || track.count === 0)
      return this.inner.replaceChildren();
    const columns = {
      first: Math.max(0, Math.floor(scrollLeft / this.width) - 1),
      last: Math.min(track.longestPass, Math.ceil((scrollLeft + clientWidth - HEAD) / this.width) + 1),
    };
    const first = Math.max(0, Math.floor(scrollTop / ROW) - 2);
    const last = Math.min(track.passes.length, Math.ceil((scrollTop + clientHeight) / ROW) + 1);
    this.inner.style.height = `${(track.passes.length + 1) * ROW}px`;
    this.inner.style.width = `${HEAD + track.longestPass * this.width}px`;
    const rows = [this.head(columns)];
    for (let number = first; number < last; number++)
      rows.push(this.line(number, columns));
    this.inner.replaceChildren(...rows);
    if (document.getElementById('cell-active') !== null)
      this.element.setAttribute('aria-activedescendant', 'cell-active');
    else
      this.element.removeAttribute('aria-activedescendant');
    return undefined;
  }
}
