import type { FloorPlanMap } from '../../../../domains/exhibitors/plans/plan-map.ts'
import { type RecognizedPlanObject, fromTenthsOfMillimetres } from '../../../../domains/exhibitors/floor/plan-shapes.ts'
import { computeBoundingBox } from '../../../../domains/exhibitors/floor/polygons.ts'
import { Button, Form } from '../../components/forms.tsx'
import { StatusLabel } from '../../components/parts.tsx'
import { formatTotalWithNoun } from '../../totals.ts'
import { formatMeasurement, type PlanPageContext } from './plan-page.ts'

/**
 * Confidence from which a detected object of the floor plan (a finding) counts as certain. Less certain ones are dashed on the plan and not
 * ticked.
 */
const CERTAIN = 0.8

type Kind = RecognizedPlanObject['kind']

/** The name of each kind of detected object, and its letter on the floor plan and in the list. */
const KINDS: Record<Kind, { mark: string; name: string; plural?: string }> = {
  outline: { mark: 'A', name: 'Outline' },
  entrance: { mark: 'E', name: 'Entrance' },
  exit: { mark: 'X', name: 'Exit' },
  fireExit: { mark: 'F', name: 'Fire exit' },
  registration: { mark: 'R', name: 'Registration' },
  food: { mark: 'C', name: 'Food' },
  restroom: { mark: 'W', name: 'Restroom' },
  firstAid: { mark: 'H', name: 'First aid' },
  stage: { mark: 'S', name: 'Stage' },
  lounge: { mark: 'O', name: 'Lounge' },
  charging: { mark: 'Z', name: 'Charging' },
  cloakroom: { mark: 'K', name: 'Cloakroom' },
  lift: { mark: 'L', name: 'Lift' },
  stairs: { mark: 'T', name: 'Stairs' },
  information: { mark: 'I', name: 'Information' },
  loadingDock: { mark: 'G', name: 'Loading dock' },
  pillar: { mark: 'P', name: 'Pillar', plural: 'pillars' },
  wall: { mark: 'M', name: 'Wall', plural: 'walls' },
  booth: { mark: 'B', name: 'Booth', plural: 'booths' },
}

const EVIDENCE: Record<string, string> = {
  layer: 'name of the layer',
  label_inside: 'label inside',
  label_near: 'label nearby',
  lattice: 'regular grid',
  door: 'door arc',
  number: 'number inside',
  largest_face: 'largest closed shape',
}

const isBareDoor = ({ kind, label, evidence }: RecognizedPlanObject) =>
  kind === 'entrance' && label === '' && evidence.every((one) => one === 'door')

export const getScanFindingSymbol = (finding: RecognizedPlanObject): string => (isBareDoor(finding) ? 'D' : KINDS[finding.kind].mark)

/** One row in the list of detected objects: a single object, or all objects of a kind that have no name of their own. */
interface FindingRow {
  findings: readonly [RecognizedPlanObject, ...RecognizedPlanObject[]]
  isUnsure: boolean
}

/**
 * Converts findings (detected objects) to rows, certain ones first. All pillars share one row, and so do walls and booths, because without
 * the plan a single one means nothing.
 */
function toRows(findings: readonly RecognizedPlanObject[]): FindingRow[] {
  const groups = Map.groupBy(findings, (finding) => {
    const unsure = finding.confidence < CERTAIN
    return KINDS[finding.kind].plural ? `${finding.kind} ${unsure}` : finding.id
  })
  return [...groups.values()]
    .map((group) => ({ findings: group as unknown as FindingRow['findings'], isUnsure: group[0]!.confidence < CERTAIN }))
    .toSorted((a, b) => Number(a.isUnsure) - Number(b.isUnsure) || order(a) - order(b))
}

const ORDER = Object.keys(KINDS)
const order = ({ findings: [first] }: FindingRow) => ORDER.indexOf(first.kind)

function describeRow({ findings }: FindingRow, { plan: { units } }: PlanPageContext): string {
  const [first] = findings
  const { name, plural } = KINDS[first.kind]
  if (plural && findings.length > 1) return `${findings.length} ${plural}`
  if (isBareDoor(first)) return 'Door without label'
  const label = first.label.replaceAll('\n', ' ')
  if (first.kind !== 'outline' || !first.polygon) return label === '' ? name : `${name} “${label}”`
  const { left, right, top, bottom } = computeBoundingBox(first.polygon)
  return `${name} ${formatMeasurement(fromTenthsOfMillimetres(right - left, units))} × ${formatMeasurement(fromTenthsOfMillimetres(top - bottom, units))} ${units}`
}

const explain = ({ findings: [first] }: FindingRow): string => {
  const words = first.evidence.map((one) => EVIDENCE[one] ?? one).join(', ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const lowest = ({ findings }: FindingRow) => Math.min(...findings.map(({ confidence }) => confidence))

const Row = ({ row, at, n }: { row: FindingRow; at: PlanPageContext; n: number }) => {
  const id = `finding-${n}`
  return (
    <li class={row.isUnsure ? 'unsure' : undefined}>
      <input
        type="checkbox"
        id={id}
        name="finding"
        value={row.findings.map((finding) => finding.id).join(',')}
        checked={!row.isUnsure}
        aria-describedby={`${id}-help`}
      />
      <span class="mark" aria-hidden="true">
        {getScanFindingSymbol(row.findings[0])}
      </span>
      <span>
        <label for={id} dir="auto">
          {describeRow(row, at)}
        </label>
        <small id={`${id}-help`}>{explain(row)}</small>
      </span>
      <span class="v">{Math.round(lowest(row) * 100)}%</span>
    </li>
  )
}

export type DisplayedPlanScan = NonNullable<FloorPlanMap['scan']>

/** The form with the detected objects that are not on the floor plan yet. One call adds all ticked ones. */
export const ScanFindingsForm = ({ at, scan, csrf }: { at: PlanPageContext; scan: DisplayedPlanScan; csrf: string | null }) => {
  const open = scan.findings.filter(({ applied }) => !applied)
  const rows = toRows(open)
  const unsure = open.filter(({ confidence }) => confidence < CERTAIN).length
  const list = (
    <ul class="finds">
      {rows.map((row, n) => (
        <Row row={row} at={at} n={n} />
      ))}
    </ul>
  )
  return (
    <section class="card plan-side" aria-labelledby="findings-title">
      <div class="card-pad">
        <h2 id="findings-title">
          {formatTotalWithNoun({ total: open.length }, 'finding')}{' '}
          {unsure > 0 ? <StatusLabel tone="warning">{`${unsure} to check`}</StatusLabel> : null}
        </h2>
        <p class="by">
          {open.length === 0 ? 'All findings of this drawing are on the plan.' : 'Nothing changes on the plan until you apply them.'}
        </p>
        {open.length === 0 ? null : csrf === null ? (
          list
        ) : (
          <Form action={`${at.here}/findings`} csrf={csrf}>
            <input type="hidden" name="scan" value={scan.id} />
            {list}
            <div class="actions">
              <Button tone="primary">Apply selected findings</Button>
            </div>
          </Form>
        )}
      </div>
    </section>
  )
}
