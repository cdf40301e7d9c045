import type { ChartMeasure } from './measures.ts'
import type { PreparedChart } from './prepare.ts'

export interface LabelledValue {
  label: string
  value: number
}

/** Describes a chart for screen readers: kind, measure, span, highest and lowest value, and total. */
export function describeChart(
  { kind, say, additive }: PreparedChart,
  {
    title,
    measure,
    values,
    span,
  }: { title: string; measure: ChartMeasure; values: readonly LabelledValue[]; span?: readonly [string, string] },
): string {
  const heading = say('chart.alt.heading', { kind: say(`chart.kind.${kind}`), title, measure: measure.label })
  const [first] = values
  if (!first) return `${heading} ${say('chart.noData')}.`
  const highest = values.reduce((best, one) => (one.value > best.value ? one : best), first)
  const lowest = values.reduce((best, one) => (one.value < best.value ? one : best), first)
  const [from, until] = span ?? [first.label, values.at(-1)!.label]
  return [
    heading,
    from === until ? say('chart.alt.single', { label: from }) : say('chart.alt.span', { count: values.length, from, until }),
    ...(values.length > 1
      ? [
          say('chart.alt.highest', { label: highest.label, value: measure.format(highest.value) }),
          say('chart.alt.lowest', { label: lowest.label, value: measure.format(lowest.value) }),
        ]
      : []),
    ...(additive ? [say('chart.alt.total', { value: measure.format(measure.sum(values.map(({ value }) => value))) })] : []),
  ].join(' ')
}
