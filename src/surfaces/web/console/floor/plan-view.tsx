import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { toMoneyAmounts } from '../../../../domains/exhibitors/booths/read-booths.ts'
import type { ListedBooth } from '../../../../domains/exhibitors/booths/read-booths.ts'
import { computeFloorPlanMetrics } from '../../../../domains/exhibitors/floor/plan-figures.ts'
import { fromTenthsOfMillimetres } from '../../../../domains/exhibitors/floor/plan-shapes.ts'
import { computeBoundingBox } from '../../../../domains/exhibitors/floor/polygons.ts'
import { FLOOR_PLAN_MAP_LAYERS, type FloorPlanMapLayer, type FloorPlanMap } from '../../../../domains/exhibitors/plans/plan-map.ts'
import { ListCard } from '../../components/list-page.tsx'
import { Notice, StatusDot, StatusLabel, type TableColumn, type ColourTone } from '../../components/parts.tsx'
import { formatTotalWithNoun } from '../../totals.ts'
import { buildListPath } from '../filters.ts'
import { formatAmountWithoutCurrency, isZeroMoney } from '../money/amounts.ts'
import { BOOTH_STATUS_COLOURS } from './booth-panel.tsx'
import { formatMeasurement, type PlanPageContext } from './plan-page.ts'

export const PLAN_ZOOM_LEVELS = ['1', '2', '4'] as const
export const BOOTH_STATUSES = ['available', 'held', 'assigned', 'blocked'] as const

/** The part of a floor plan page's URL that determines what is shown: map layer, zoom, selected booth and status filter. */
export interface PlanPageQuery {
  layer: FloorPlanMapLayer
  zoom: (typeof PLAN_ZOOM_LEVELS)[number]
  booth: string | undefined
  status: (typeof BOOTH_STATUSES)[number] | undefined
}

/** Returns the URL of the same floor plan page with another layer, zoom, booth or status. */
export const buildPlanPath = ({ here }: PlanPageContext, query: PlanPageQuery, change: Partial<PlanPageQuery>): string => {
  const { layer, zoom, booth, status } = { ...query, ...change }
  return buildListPath(here, { layer: layer === 'booths' ? undefined : layer, zoom: zoom === '1' ? undefined : zoom, booth, status })
}

const PLAN_TONES: Record<string, ColourTone | undefined> = { published: 'success', draft: 'warning' }

/** The name and size of a floor plan, and how much of its area is sold or for sale. */
export const PlanHeading = ({ at, booths, children }: { at: PlanPageContext; booths: readonly ListedBooth[]; children?: Child }) => {
  const { plan } = at
  const rows = booths.map(({ row }) => row)
  const { gross, net, netGross } = computeFloorPlanMetrics(plan, rows)
  const { left, right, top, bottom } = computeBoundingBox(plan.outline.outer)
  const side = (tenths: number) => formatMeasurement(fromTenthsOfMillimetres(tenths, plan.units))
  return (
    <div class="heading">
      <div>
        <p class="crumbs">
          <a href={at.base}>
            <bdi>{at.event.name}</bdi>
          </a>{' '}
          / <a href={`${at.base}/floor-plans`}>Floor plans</a>
        </p>
        <div class="title">
          <h1 dir="auto">{plan.name}</h1>
          <StatusLabel tone={PLAN_TONES[plan.status]}>{plan.status}</StatusLabel>
        </div>
        <ul class="meta">
          <li>
            <span>
              {plan.outline.outer.length > 0 ? `${side(right - left)} × ${side(top - bottom)} ${plan.units} · ` : ''}
              {formatTotalWithNoun({ total: rows.length }, 'booth')}
            </span>
          </li>
          {gross > 0 ? (
            <li>
              <span>
                {formatMeasurement(net)} of {formatMeasurement(gross)} {plan.units}² sold or for sale{' '}
                <span class="muted">({formatMeasurement(netGross)}%)</span>
              </span>
            </li>
          ) : null}
        </ul>
      </div>
      {children ? <div class="row">{children}</div> : null}
    </div>
  )
}

const LAYER_LABELS: Record<FloorPlanMapLayer, string> = { booths: 'Booths', findings: 'Findings', flow: 'Visitor flow', layout: 'Layout' }

const countOn = (layer: FloorPlanMapLayer, { scan, layout }: FloorPlanMap): number | null => {
  if (layer === 'findings') return scan?.status !== 'done' ? null : scan.findings.filter(({ applied }) => !applied).length
  return layer === 'layout' ? (layout?.result.booths.length ?? null) : null
}

/** The map layers that this floor plan has. */
const listLayers = (map: FloorPlanMap): readonly FloorPlanMapLayer[] =>
  FLOOR_PLAN_MAP_LAYERS.filter((layer) => (layer === 'findings' ? map.scan !== null : layer === 'layout' ? map.layout !== null : true))

const MapBar = ({ at, map, query }: { at: PlanPageContext; map: FloorPlanMap; query: PlanPageQuery }) => {
  const step = PLAN_ZOOM_LEVELS.indexOf(query.zoom)
  const zoom = (to: number, label: string, text: string) =>
    PLAN_ZOOM_LEVELS[to] && to !== step ? (
      <a class="button small" href={buildPlanPath(at, query, { zoom: PLAN_ZOOM_LEVELS[to] })} aria-label={label}>
        {text}
      </a>
    ) : null
  return (
    <div class="plan-bar">
      <nav class="chips" aria-label="Layers">
        {listLayers(map).map((layer) => {
          const count = countOn(layer, map)
          return (
            <a
              class="chip"
              href={buildPlanPath(at, query, { layer, booth: undefined })}
              aria-current={layer === query.layer ? 'true' : undefined}
            >
              {LAYER_LABELS[layer]} {count === null ? null : <span>{count}</span>}
            </a>
          )
        })}
      </nav>
      <nav class="zoom" aria-label="Zoom">
        {zoom(step + 1, 'Zoom in', '+')}
        {zoom(step - 1, 'Zoom out', '−')}
        {step === 0 ? null : (
          <a class="button small" href={buildPlanPath(at, query, { zoom: '1' })}>
            Whole hall
          </a>
        )}
      </nav>
    </div>
  )
}

/** A small square that looks like a booth of this status. */
const Swatch = ({ status }: { status: string }) => (
  <svg viewBox="0 0 20 16" aria-hidden="true">
    <rect class={status} x="1" y="1" width="18" height="14" />
    {status === 'held' ? <path d="M2 14 14 2M9 14l9-9" /> : null}
    {status === 'blocked' ? <path d="M2 14 14 2M9 14l9-9M2 5l9 9M6 2l12 12" /> : null}
  </svg>
)

/** The legend of the floor plan: each booth status with its number of booths, as a link that filters the table. */
const Key = ({ at, booths, query }: { at: PlanPageContext; booths: readonly ListedBooth[]; query: PlanPageQuery }) => (
  <ul class="key">
    {BOOTH_STATUSES.map((status) => {
      const count = booths.filter(({ row }) => row.status === status).length
      return (
        <li>
          <a
            href={`${buildPlanPath(at, query, { status, layer: 'booths' })}#booths`}
            aria-current={status === query.status ? 'true' : undefined}
          >
            <Swatch status={status} />
            {status.charAt(0).toUpperCase() + status.slice(1)} <b>{count}</b>
          </a>
        </li>
      )
    })}
  </ul>
)

const NOTES: Partial<Record<FloorPlanMapLayer, string>> = {
  findings: 'Solid ring: likely. Dashed ring: please check. The list explains the letters.',
  flow: 'How well visitors find each booth, from pale (0 of 100) to orange (100 of 100): visitor flow, distance to the entrance and open sides.',
  layout: 'Dashed booths are a proposed layout. The plan does not change until you apply it.',
}

/** The drawing of the floor plan with its layers. */
export const FloorPlanMapCard = ({ at, map, query }: { at: PlanPageContext; map: FloorPlanMap; query: PlanPageQuery }) => (
  <section class="card plan-card" aria-label={`Plan of ${at.plan.name}`}>
    <MapBar at={at} map={map} query={query} />
    {map.svg === null ? (
      <p class="muted card-pad">Nothing is drawn yet.</p>
    ) : (
      <div class={`plan zoom-${query.zoom} on-${query.layer}`} tabindex={0} role="region" aria-label="Drawing of the hall">
        {raw(map.svg)}
      </div>
    )}
    <div class="plan-foot">
      {NOTES[query.layer] ? <p class="hint">{NOTES[query.layer]}</p> : <Key at={at} booths={map.booths} query={query} />}
      {query.layer === 'flow' && map.quality === null ? (
        <Notice tone="warning">
          <p>The plan has no entrance, so visitors' paths are unknown. Ask your assistant to add one.</p>
        </Notice>
      ) : null}
    </div>
  </section>
)

const boothColumns = (at: PlanPageContext, query: PlanPageQuery): TableColumn<ListedBooth>[] => [
  {
    label: 'Booth',
    lead: true,
    cell: ({ row }) => (
      <a
        href={`${buildPlanPath(at, query, { booth: row.number, layer: 'booths' })}#booth`}
        aria-current={row.number === query.booth ? 'true' : undefined}
      >
        {row.number}
      </a>
    ),
  },
  { label: 'Company', cell: ({ company }) => (company ? <bdi>{company.name}</bdi> : null) },
  { label: 'Area', number: true, cell: ({ figures }) => `${formatMeasurement(figures.area)} ${at.plan.units}²` },
  { label: 'Type', wideOnly: true, cell: ({ figures: { type } }) => type.charAt(0).toUpperCase() + type.slice(1) },
  {
    label: `Net, ${at.event.currency}`,
    number: true,
    cell: ({ price }) => {
      const { net } = toMoneyAmounts(price, at.event.currency)
      return isZeroMoney(net) ? null : formatAmountWithoutCurrency(net)
    },
  },
  {
    label: 'Status',
    short: true,
    cell: ({ row: { status } }) => (
      <StatusDot tone={BOOTH_STATUS_COLOURS[status]} hollow={status === 'available'}>
        {status}
      </StatusDot>
    ),
  },
]

/** The table of the booths that the floor plan shows. On phones, users select a booth in the table. */
export const BoothTable = ({ at, booths, query }: { at: PlanPageContext; booths: readonly ListedBooth[]; query: PlanPageQuery }) => {
  const shown = query.status ? booths.filter(({ row }) => row.status === query.status) : booths
  return (
    <div class="booth-list">
      <ListCard
        id="booths"
        title={query.status ? `Booths: ${query.status}` : 'Booths'}
        actions={query.status ? <a href={buildPlanPath(at, query, { status: undefined })}>All {booths.length}</a> : null}
        caption="Booths"
        columns={boothColumns(at, query)}
        rows={shown}
        empty={
          query.status
            ? `No booth is ${query.status}.`
            : {
                title: 'No booths yet',
                ask: `Fit as many 3 by 3 m booths as possible into ${at.plan.name} at ${at.event.name}.`,
                text: 'Your assistant can fill the hall and shows the layout here before it is applied.',
              }
        }
      />
    </div>
  )
}

/** The event's floor plans as tabs. */
export const PlanTabs = ({ base, plans, current }: { base: string; plans: readonly { code: string; name: string }[]; current: string }) =>
  plans.length > 1 ? (
    <nav class="tabs" aria-label="Floor plans">
      {plans.map(({ code, name }) => (
        <a href={`${base}/floor-plans/${code}`} aria-current={code === current ? 'page' : undefined} dir="auto">
          {name}
        </a>
      ))}
    </nav>
  ) : null
