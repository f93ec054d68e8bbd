import type { Timeline } from './timeline.ts'

/** Prints all rows of the timeline, not only those near the view. */
export function printWhole(timeline: Pick<Timeline, 'drawAll' | 'drawNear'>): void {
  addEventListener('beforeprint', () => timeline.drawAll())
  addEventListener('afterprint', () => timeline.drawNear())
}
