import type { Child } from 'hono/jsx'

const number = new Intl.NumberFormat('en-GB')

/** Formats a whole number with separators: "1,204". */
export const formatInteger = (count: number): string => number.format(count)

export interface ChartSegment {
  label: string
  /** The amount that this segment of the bar stands for. */
  size: number
  /** The text shown beside the label in the legend. */
  value: Child
  tone: 1 | 2 | 3 | 4
}

const percent = (part: number, whole: number) => `${whole <= 0 ? 0 : Math.round((10_000 * part) / whole) / 100}%`

/** A bar that shows the parts of a whole. Hidden from screen readers, because a legend with the numbers always stands beside it. */
export const SegmentedBar = ({ parts, whole }: { parts: readonly Pick<ChartSegment, 'size' | 'tone'>[]; whole: number }) => {
  let from = 0
  return (
    <svg class="bar" aria-hidden="true">
      <rect width="100%" height="100%" class="rest" />
      {parts.map(({ size, tone }) => {
        const x = from
        from += size
        return size > 0 ? <rect x={percent(x, whole)} width={percent(size, whole)} height="100%" class={`k${tone}`} /> : null
      })}
    </svg>
  )
}

export const ChartLegend = ({ parts, sum }: { parts: readonly ChartSegment[]; sum?: { label: string; value: Child } | undefined }) => (
  <dl class="legend-list">
    {parts.map(({ label, value, tone }) => (
      <div>
        <dt>
          <svg viewBox="0 0 8 8" aria-hidden="true">
            <rect width="8" height="8" rx="2" class={`k${tone}`} />
          </svg>
          {label}
        </dt>
        <dd>{value}</dd>
      </div>
    ))}
    {sum ? (
      <div class="sum">
        <dt>{sum.label}</dt>
        <dd>{sum.value}</dd>
      </div>
    ) : null}
  </dl>
)

export interface PlotColumn {
  label: string
  count: number
}

const [WIDTH, HEIGHT] = [600, 100]

/** Returns the next round number, for the top of the axis. */
export function roundUpForAxis(most: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(1, most)))
  return [1, 2, 5, 10].map((times) => times * step).find((top) => top >= most)!
}

interface PlotPoint extends PlotColumn {
  /** The position of the point on the time axis, in any unit. */
  at: number
}

const Axis = () => <path class="rule" d={`M0 0H${WIDTH}M0 50H${WIDTH}M0 ${HEIGHT}H${WIDTH}`} />

/**
 * A line chart over time, with at least two points. The line stretches with the page, but the text does not. `description` is read by
 * screen readers.
 */
export const LinePlot = ({ points, description }: { points: readonly PlotPoint[]; description: string }) => {
  const top = roundUpForAxis(Math.max(0, ...points.map(({ count }) => count)))
  const [first, last] = [points[0]!, points.at(-1)!]
  const path = points.map(({ at, count }) => {
    const x = (WIDTH * (at - first.at)) / Math.max(1, last.at - first.at)
    return `${Math.round(10 * x) / 10} ${Math.round(10 * (HEIGHT - (HEIGHT * count) / top)) / 10}`
  })
  return (
    <figure class="plot">
      <div class="plot-area">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={description}>
          <Axis />
          <path class="line" d={`M${path.join('L')}`} />
        </svg>
        <span class="max" aria-hidden="true">
          {formatInteger(top)}
        </span>
      </div>
      <p class="plot-x" aria-hidden="true">
        <span>{first.label}</span>
        <span>{last.label}</span>
      </p>
    </figure>
  )
}

/** A column chart. The columns stretch with the page, but the text does not. `description` is read by screen readers. */
export const ColumnPlot = ({ columns, description }: { columns: readonly PlotColumn[]; description: string }) => {
  const top = roundUpForAxis(Math.max(0, ...columns.map(({ count }) => count)))
  const step = WIDTH / Math.max(columns.length, 20)
  const last = columns.length - 1
  return (
    <figure class="plot">
      <div class="plot-area">
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={description}>
          <Axis />
          {columns.map(({ count }, at) => {
            const high = Math.round((1000 * count) / top) / 10
            return count > 0 ? (
              <rect
                class="k2"
                x={Math.round(10 * (at * step + step * 0.15)) / 10}
                y={Math.round(10 * (HEIGHT - high)) / 10}
                width={Math.round(10 * step * 0.7) / 10}
                height={high}
              />
            ) : null
          })}
        </svg>
        <span class="max" aria-hidden="true">
          {formatInteger(top)}
        </span>
      </div>
      {columns.length > 0 ? (
        <p class="plot-x" aria-hidden="true">
          <span>{columns[0]!.label}</span>
          {last >= 20 ? <span>{columns[Math.round(last / 2)]!.label}</span> : null}
          {last > 0 ? <span>{columns[last]!.label}</span> : null}
        </p>
      ) : null}
    </figure>
  )
}
