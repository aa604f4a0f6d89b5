// Chooses the view by the address, and keeps it up to date.

import {ask} from './api.js';
import {element, setText, show} from './dom.js';
import {plural} from './format.js';
import {History} from './history.js';
import * as overview from './view-overview.js';
import * as tiers from './view-tiers.js';
import * as topics from './view-topics.js';
import * as topic from './view-topic.js';
import * as records from './view-records.js';
import * as groups from './view-groups.js';
import * as group from './view-group.js';
import * as connections from './view-connections.js';
import * as config from './view-config.js';
import * as events from './view-events.js';

const PERIOD_MS = 2_000;
const SECTIONS = [
  ['overview', 'Overview', overview],
  ['tiers', 'Tiers', tiers],
  ['topics', 'Topics', topics],
  ['groups', 'Groups', groups],
  ['connections', 'Connections', connections],
  ['config', 'Configuration', config],
  ['events', 'Events', events],
];
const DETAILS = {topics: [topic, records], groups: [group]};

const main = document.getElementById('main');
const nav = document.getElementById('nav');
const problem = document.getElementById('problem');
const health = document.getElementById('health');
const pause = document.getElementById('pause');
const history = new History();
let latest = null;
let view = null;
let isPaused = false;
let isFirst = true;

for (const [path, title] of SECTIONS) {
  nav.append(element('a', {href: `#/${path}`}, title));
}

/** What an address stands for: its parts and parameters. */
function place() {
  const [path, query] = location.hash.replace(/^#\/?/, '').split('?');
  const parts = path.split('/').filter((each) => each !== '').map(decodeURIComponent);
  return {parts, parameters: new URLSearchParams(query)};
}

/** Changes the parameters of the address without a step in the browser's history. */
function setParameters(changes) {
  const {parts, parameters} = place();
  for (const [key, value] of Object.entries(changes)) {
    if (value === '' || value === null || value === undefined) {
      parameters.delete(key);
    } else {
      parameters.set(key, value);
    }
  }
  const query = parameters.toString();
  const path = parts.map(encodeURIComponent).join('/');
  window.history.replaceState(null, '', `#/${path}${query ? '?' + query : ''}`);
  view.parameters = parameters;
}

function open() {
  if (location.hash === '#main') {
    return; // the link that skips to the content
  }
  const {parts, parameters} = place();
  const section = SECTIONS.find(([path]) => path === parts[0]) ?? SECTIONS[0];
  const module = parts.length > 1 ? DETAILS[section[0]]?.[parts.length - 2] ?? section[2] : section[2];
  view?.shown.end?.();
  for (const each of nav.children) {
    const isCurrent = each.getAttribute('href') === `#/${section[0]}`;
    if (isCurrent) {
      each.setAttribute('aria-current', 'page');
      each.scrollIntoView({block: 'nearest', inline: 'center'});
    } else {
      each.removeAttribute('aria-current');
    }
  }
  view = {parameters, isBusy: false};
  view.shown = module.mount({
    parts,
    parameters: () => view.parameters,
    setParameters,
    refresh,
    history,
    latest: () => latest,
  });
  main.dataset.place = location.hash;
  document.title = `${view.shown.title} · Firn`;
  view.loading = element('p', {class: 'empty'}, 'Loading…');
  view.shown.box.hidden = true;
  main.replaceChildren(element('h1', {}, view.shown.title), view.loading, view.shown.box);
  if (!isFirst) {
    main.focus({preventScroll: true});
    scrollTo(0, 0);
  }
  isFirst = false;
  refresh();
}

/** Asks for what the view shows, and shows it; another view may have been opened meanwhile. */
async function refresh() {
  const asked = view;
  if (asked.isBusy) {
    asked.isStale = true;
    return;
  }
  asked.isBusy = true;
  try {
    await asked.shown.update(() => asked === view);
    if (asked === view) {
      show(asked.loading, false);
      show(asked.shown.box, latest !== null || asked.shown.isLive === false);
      report(null);
    }
  } catch (error) {
    if (asked === view) {
      show(asked.loading, false);
      report(error);
    }
  } finally {
    asked.isBusy = false;
    if (asked.isStale) {
      asked.isStale = false;
      refresh();
    }
  }
}

function report(error) {
  show(problem, error !== null);
  setText(problem, error === null ? '' : error.message);
}

async function look() {
  if (isPaused || document.hidden) {
    return;
  }
  try {
    latest = await ask('overview');
    history.add(latest);
    showHealth(latest);
  } catch (error) {
    setText(health, 'no answer');
    health.className = 'chip error';
    report(error);
    return;
  }
  if (view.shown.isLive !== false) {
    await refresh();
  }
}

function showHealth(answer) {
  setText(document.getElementById('where'), answer.directory);
  const errors = answer.findings.filter((each) => each.severity === 'error').length;
  const warnings = answer.findings.filter((each) => each.severity === 'warning').length;
  if (errors + warnings === 0) {
    setText(health, 'healthy');
    health.className = 'chip good';
  } else {
    setText(health, errors > 0 ? plural(errors, 'error') : plural(warnings, 'warning'));
    health.className = errors > 0 ? 'chip error' : 'chip warning';
  }
}

pause.addEventListener('click', () => {
  isPaused = !isPaused;
  pause.setAttribute('aria-pressed', String(isPaused));
  setText(pause, isPaused ? 'Resume' : 'Pause');
  look();
});
addEventListener('hashchange', open);
document.addEventListener('visibilitychange', look);

open();
await look();
const again = async () => {
  await look();
  setTimeout(again, PERIOD_MS);
};
setTimeout(again, PERIOD_MS);
