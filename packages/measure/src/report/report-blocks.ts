import type { Block } from './blocks.ts'
import { percent } from './limits.ts'
import { count, groupCells, groupHead, kindCells, kindHead, number } from './report-figures.ts'
import { type BundleReport, type GroupKey, groupKeys, type ReportGroup } from './report-schema.ts'

/** The parts of a report besides its totals and its bundles. */
export function reportBlocks(report: BundleReport): Block[] {
  const { breaches, failures, groups, comparison } = report
  return [
    {
      title: breaches.length === 1 ? '1 limit is not kept' : `${breaches.length} limits are not kept`,
      name: 'breaches',
      rows: breaches.map(({ message }) => [{ log: message, most: 300 }]),
    },
    {
      title: number(failures.length, 'failure'),
      name: 'failures',
      rows: failures.map(({ log, message }) => [
        ...(message.includes(log) ? [] : [{ log }]),
        { log: message, most: 300 },
      ]),
    },
    ofGroups('format', groups.format),
    { title: 'Retention and precision', head: kindHead, rows: kindCells(report) },
    ...(comparison === undefined ? [] : [changes(comparison)]),
    ...groupKeys.flatMap((key) =>
      key === 'format' || groups[key].length < 2 ? [] : [ofGroups(key, groups[key])],
    ),
  ]
}

function ofGroups(key: GroupKey, groups: readonly ReportGroup[]): Block {
  return {
    title: `By ${key} (${count(groups.length)})`,
    folded: key !== 'format',
    head: [key, ...groupHead],
    rows: groups.map((group) => [{ log: group.name, most: 60 }, ...groupCells(group)]),
  }
}

function changes({
  changes: all,
  added,
  removed,
  tolerance,
}: NonNullable<BundleReport['comparison']>): Block {
  const counts = [
    number(all.length, 'change'),
    number(added.length, 'new log'),
    number(removed.length, 'log'),
  ]
  return {
    title: 'Since the baseline',
    about: `Tolerance ${percent(tolerance)}, ${counts.join(', ')} gone.`,
    head: ['log', 'figure', 'before', 'after', ''],
    rows: all.map(({ figure, log, before, after, worse }) => [
      log === undefined ? 'all' : { log, most: 60 },
      figure,
      ...[before, after].map(figure === 'failures' ? String : percent),
      worse ? 'worse' : '',
    ]),
  }
}
