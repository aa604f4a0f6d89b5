// The tiers, each segment a block. A segment that was moved travels to its new tier.

import {ask} from './api.js';
import {element, facts, meter, setText, show} from './dom.js';
import * as format from './format.js';
import {filterField} from './view-topics.js';

const TRAVEL_MS = 900;
const COLOURS = 6;
const colours = new Map();

export function mount({parameters, setParameters, refresh}) {
  const panels = new Map();
  const blocks = new Map();
  const list = element('div', {class: 'tiers'});
  const detail = element('p', {class: 'detail', 'aria-live': 'polite'}, 'Choose a block to see its segment.');
  const filter = filterField('Topics whose name has', parameters, setParameters, refresh);
  const legend = element(
      'p', {class: 'legend'},
      element('span', {}, element('span', {class: 'block sample c1'}), 'sealed'),
      element('span', {}, element('span', {class: 'block sample c1 written'}), 'written to'),
      element('span', {}, element('span', {class: 'block sample c1 moving'}), 'moving'),
      element('span', {}, 'Colours tell topics apart.'));

  return {
    title: 'Tiers',
    box: element('div', {}, element('div', {class: 'tools'}, filter, legend), list, detail),
    async update(isCurrent) {
      const {tiers} = await ask('tiers', {filter: parameters().get('filter') ?? ''});
      if (isCurrent()) {
        for (const tier of tiers) {
          if (!panels.has(tier.label)) {
            panels.set(tier.label, panel(tier.label, (text) => setText(detail, text)));
            list.append(panels.get(tier.label).box);
          }
          panels.get(tier.label).update(tier);
        }
        place(tiers, panels, blocks);
      }
    },
  };
}

function panel(label, describe) {
  const used = facts(['Used', 'Free', 'Segments', 'Survives', 'Moved down', 'Moved up', 'Spilled']);
  const bar = meter(`Used part of ${label}`);
  const state = element('span', {class: 'chip'});
  const error = element('p', {class: 'problem', hidden: true});
  const more = element('p', {class: 'note', hidden: true});
  const name = element('p', {class: 'note path'});
  const map = element('div', {
    class: 'blocks',
    role: 'listbox',
    tabindex: 0,
    'aria-label': `Segments in ${label}`,
  });
  const empty = element('p', {class: 'empty'}, 'No segments.');
  selectable(map, describe);
  return {
    map,
    box: element(
        'section', {class: 'card tier'},
        element('h2', {}, label, ' ', state), name, bar.bar, used.list, error, map, empty, more),
    update(tier) {
      const size = tier.capacityBytes ?? (tier.freeBytes === null ? null : tier.usedBytes + tier.freeBytes);
      bar.set(size ? tier.usedBytes / size : 0);
      setText(name, tier.name);
      used.set('Used', format.bytes(tier.usedBytes));
      used.set('Free', format.bytes(tier.freeBytes));
      used.set('Segments', format.count(tier.segmentCount));
      used.set('Survives', tier.survives);
      used.set('Moved down', format.bytes(tier.movedDownBytes));
      used.set('Moved up', format.bytes(tier.movedUpBytes));
      used.set('Spilled', format.plural(tier.spilledSegments, 'segment'));
      const isOut = !tier.inRotation;
      setText(state, tier.drain !== 'none' ? `drain ${tier.drain.replace('_', ' ')}`
          : isOut ? 'out of rotation'
          : tier.movesInFlight > 0 ? format.plural(tier.movesInFlight, 'move') : 'in rotation');
      state.className = `chip ${isOut ? 'warning' : 'good'}`;
      show(error, tier.lastError !== null);
      setText(error, tier.lastError ?? '');
      show(map, tier.segments.length > 0);
      show(empty, tier.segments.length === 0);
      show(more, tier.segmentCount > tier.segments.length);
      setText(more, `The latest ${format.count(tier.segments.length)} of ${format.count(tier.segmentCount)} segments.`);
    },
  };
}

/** Puts each block where its segment is; blocks whose segment is gone are removed. */
function place(tiers, panels, blocks) {
  const seen = new Set();
  const travellers = [];
  for (const tier of tiers) {
    const {map} = panels.get(tier.label);
    let before = map.firstElementChild;
    for (const segment of tier.segments) {
      const key = `${segment.topic}/${segment.partition}/${segment.base}`;
      seen.add(key);
      let block = blocks.get(key);
      if (block === undefined) {
        block = element('div', {role: 'option', 'aria-selected': false});
        blocks.set(key, block);
      } else if (block.parentElement !== map) {
        travellers.push([block, block.getBoundingClientRect()]);
      }
      fill(block, segment, tier.label);
      if (block === before) {
        before = before.nextElementSibling;
      } else {
        map.insertBefore(block, before);
      }
    }
  }
  for (const [key, block] of blocks) {
    if (!seen.has(key)) {
      block.remove();
      blocks.delete(key);
    }
  }
  travellers.forEach(([block, from]) => travel(block, from));
}

function fill(block, segment, tier) {
  const state = segment.moving ? 'moving' : segment.sealMs === null ? 'written' : '';
  block.className = `block c${colourOf(segment.topic)} ${state}`;
  block.segment = segment;
  block.setAttribute(
      'aria-label',
      `${segment.topic}, partition ${segment.partition}, from offset ${segment.base}, in ${tier}`);
}

/** Each topic has a colour for as long as the page is open; there are few, so some share one. */
function colourOf(topic) {
  if (!colours.has(topic)) {
    colours.set(topic, 1 + (colours.size % COLOURS));
  }
  return colours.get(topic);
}

function travel(block, from) {
  if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
    return;
  }
  const to = block.getBoundingClientRect();
  const start = `translate(${from.left - to.left}px, ${from.top - to.top}px)`;
  block.classList.add('travels');
  block
      .animate(
          [{transform: `${start} scale(1.6)`}, {transform: 'none'}],
          {duration: TRAVEL_MS, easing: 'cubic-bezier(.3, .7, .2, 1)'})
      .finished.finally(() => block.classList.remove('travels'));
}

/** Arrows choose a block, as a click does. */
function selectable(map, describe) {
  let number = 0;
  const choose = (block) => {
    map.querySelector('[aria-selected=true]')?.setAttribute('aria-selected', 'false');
    block.setAttribute('aria-selected', 'true');
    block.id ||= `${map.getAttribute('aria-label').replace(/\W/g, '-')}-${number++}`;
    map.setAttribute('aria-activedescendant', block.id);
    block.scrollIntoView({block: 'nearest'});
    describe(textOf(block.segment));
  };
  map.addEventListener('click', (event) => {
    const block = event.target.closest('.block');
    if (block !== null) {
      choose(block);
    }
  });
  map.addEventListener('keydown', (event) => {
    const chosen = map.querySelector('[aria-selected=true]');
    const next = {
      ArrowRight: chosen?.nextElementSibling,
      ArrowDown: chosen?.nextElementSibling,
      ArrowLeft: chosen?.previousElementSibling,
      ArrowUp: chosen?.previousElementSibling,
      Home: map.firstElementChild,
      End: map.lastElementChild,
    };
    if (event.key in next) {
      event.preventDefault();
      const block = chosen === null ? map.firstElementChild : next[event.key];
      if (block) {
        choose(block);
      }
    }
  });
}

function textOf(segment) {
  const state = segment.sealMs === null ? 'written to' : `sealed ${format.time(segment.sealMs)}`;
  return `${segment.topic}, partition ${segment.partition}: offsets ${format.count(segment.base)} to `
      + `${format.count(segment.end)}, ${format.bytes(segment.bytes)}, ${state}`
      + (segment.moving ? ', moving' : '');
}
