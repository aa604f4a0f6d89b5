// Tables that are updated in place, so that what has the focus keeps it.

import {element, setText, show} from './dom.js';

/**
 * Creates a table. A column has a title and a function from a row to a cell: text, or
 * {text, href, title, kind}. A column that is 'wide' is left out on small screens.
 */
export function table(label, columns, empty) {
  const body = element('tbody');
  const head = element('tr');
  for (const each of columns) {
    head.append(element('th', {scope: 'col', class: classOf(each)}, each.title));
  }
  const none = element('p', {class: 'empty', hidden: true}, empty);
  const scroll = element(
      'div',
      {class: 'scroll', role: 'region', 'aria-label': label, tabindex: 0},
      element('table', {}, element('thead', {}, head), body));
  return {
    box: element('div', {}, scroll, none),
    update(rows) {
      show(none, rows.length === 0);
      show(scroll, rows.length > 0);
      while (body.rows.length > rows.length) {
        body.lastElementChild.remove();
      }
      rows.forEach((row, i) => update(body.rows[i] ?? addRow(body, columns), columns, row));
    },
  };
}

function classOf(column) {
  return [column.number ? 'number' : '', column.wide ? 'wide' : ''].join(' ').trim() || null;
}

function addRow(body, columns) {
  const row = element('tr');
  columns.forEach((each, i) => {
    row.append(element(i === 0 ? 'th' : 'td', {class: classOf(each), scope: i === 0 ? 'row' : null}));
  });
  body.append(row);
  return row;
}

function update(line, columns, row) {
  columns.forEach((column, i) => {
    const cell = column.cell(row);
    const spec = typeof cell === 'object' && cell !== null ? cell : {text: cell};
    fill(line.cells[i], spec);
  });
}

function fill(cell, {text, href, title, kind}) {
  const name = href ? 'a' : kind ? 'span' : null;
  if (name === null) {
    setText(cell, String(text ?? ''));
  } else {
    let inner = cell.firstElementChild;
    if (inner === null || inner.localName !== name) {
      inner = element(name);
      cell.replaceChildren(inner);
    }
    setText(inner, String(text ?? ''));
    inner.className = kind ?? '';
    if (href) {
      inner.setAttribute('href', href);
    }
  }
  if (title) {
    cell.title = title;
  } else {
    cell.removeAttribute('title');
  }
}
