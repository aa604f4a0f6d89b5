// Elements of the page. Text is only ever set as text, so no value of a record is read as markup.

/** Creates an element: attributes, then children, which are elements or text. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) {
      made.addEventListener(key.slice(2), value);
    } else if (value === true) {
      made.setAttribute(key, '');
    } else if (value !== false && value !== null && value !== undefined) {
      made.setAttribute(key, value);
    }
  }
  made.append(...children.filter((each) => each !== null && each !== undefined));
  return made;
}

/** Sets the text of an element, if it is another one. */
export function setText(target, text) {
  if (target.textContent !== text) {
    target.textContent = text;
  }
}

/** Shows or hides an element. */
export function show(target, visible) {
  if (target.hidden === visible) {
    target.hidden = !visible;
  }
}

/** Returns a box with a heading. */
export function card(title, ...children) {
  return element('section', {class: 'card'}, element('h2', {}, title), ...children);
}

/** Returns a list of names with their values, and a function that sets these. */
export function facts(names) {
  const values = new Map(names.map((name) => [name, element('dd')]));
  const list = element('dl', {class: 'facts'});
  for (const [name, value] of values) {
    list.append(element('div', {}, element('dt', {}, name), value));
  }
  return {
    list,
    set: (name, text) => setText(values.get(name), text),
  };
}

/** Returns a bar for a part of a whole, and a function that sets it. */
export function meter(label) {
  const fill = element('div', {class: 'fill'});
  const bar = element(
      'div',
      {class: 'meter', role: 'meter', 'aria-label': label, 'aria-valuemin': 0, 'aria-valuemax': 100},
      fill);
  return {
    bar,
    set(share) {
      const percent = Math.round(100 * Math.min(1, Math.max(0, share || 0)));
      bar.setAttribute('aria-valuenow', percent);
      bar.classList.toggle('high', percent >= 80);
      bar.classList.toggle('full', percent >= 90);
      fill.style.width = `${percent}%`;
    },
  };
}
