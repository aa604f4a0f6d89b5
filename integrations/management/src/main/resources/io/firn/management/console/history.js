// What the charts show: numbers of the last minutes, computed from counts that only grow.

const MOST = 300;

/** Keeps the latest answers and the values between each and the one before. */
export class History {
  #last = null;
  times = [];
  series = {};

  add(answer) {
    const before = this.#last;
    this.#last = answer;
    if (before === null || answer.timeMs <= before.timeMs) {
      return;
    }
    if (answer.process.id !== before.process.id) {
      return; // started again: counts begin anew
    }
    const seconds = (answer.timeMs - before.timeMs) / 1000;
    this.#put(answer.timeMs / 1000, {
      appended: rate(before.log.appended, answer.log.appended, seconds),
      forced: rate(before.log.forcedBytes, answer.log.forcedBytes, seconds),
      produce: rate(api(before, 'Produce'), api(answer, 'Produce'), seconds),
      fetch: rate(api(before, 'Fetch'), api(answer, 'Fetch'), seconds),
      others: rate(others(before), others(answer), seconds),
      produceMs: quantile(before.produce, answer.produce),
      forceMs: quantile(before.forces, answer.forces),
    });
  }

  #put(time, values) {
    this.times.push(time);
    for (const [name, value] of Object.entries(values)) {
      (this.series[name] ??= []).push(value);
    }
    if (this.times.length > MOST) {
      this.times.shift();
      Object.values(this.series).forEach((each) => each.shift());
    }
  }

  /** Returns the latest value of a series. */
  latest(name) {
    return this.series[name]?.at(-1);
  }
}

function rate(before, after, seconds) {
  return Math.max(0, after - before) / seconds; // less: a topic was deleted
}

const api = (answer, name) => answer.server.requestsByApi[name] ?? 0;

const others = (answer) => answer.server.requests - api(answer, 'Produce') - api(answer, 'Fetch');

/** Returns the bound below which 99 % of what came between has ended; null if nothing came. */
function quantile(before, after) {
  const counts = after.counts.map((each, i) => each - (before.counts[i] ?? 0));
  const total = counts.reduce((sum, each) => sum + each, 0);
  if (total <= 0) {
    return null;
  }
  let left = 0.99 * total;
  for (let i = 0; i < counts.length; i++) {
    left -= counts[i];
    if (left <= 0) {
      return after.boundsMs[i] ?? after.boundsMs.at(-1);
    }
  }
  return after.boundsMs.at(-1);
}
