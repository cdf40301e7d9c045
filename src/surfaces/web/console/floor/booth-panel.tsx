import { notFound } from '../../../../kernel/errors.ts'
import { eventDb } from '../../../../kernel/scoped-db.ts'
import type { Child } from 'hono/jsx'
import { findCompetitorsNearby } from '../../../../domains/exhibitors/booths/competitors.ts'
import { readBoothDetails } from '../../../../domains/exhibitors/booths/get.ts'
import { findOpenOfferOfBooths } from '../../../../domains/exhibitors/booths/offers.ts'
import { listCompanies } from '../../../../domains/exhibitors/company/read-company.ts'
import { readLiveOrTestConfiguration } from '../../../../domains/exhibitors/context.ts'
import { formatShortDeadline } from '../../components/dates.ts'
import { Button, Form, Input, Select, type SelectOption } from '../../components/forms.tsx'
import { DescriptionList, Notice, StatusLabel, type ColourTone } from '../../components/parts.tsx'
import { formatAmountWithoutCurrency } from '../money/amounts.ts'
import type { BoothAction } from './booth-acts.tsx'
import { formatMeasurement, type PlanPageContext } from './plan-page.ts'

export const BOOTH_STATUS_COLOURS: Record<string, ColourTone | undefined> = { held: 'warning', assigned: 'success' }

/** Maximum number of companies in the form's select list; for other companies, users ask an assistant. */
const MAX_COMPANIES = 500

/** Reads the data of one booth for the panel beside the floor plan. */
export async function readBoothPanelData({ reading, plan }: PlanPageContext, number: string) {
  const there = await eventDb(reading)
    .selectFrom('booths')
    .select('id')
    .where('floor_plan_id', '=', plan.id)
    .where('number', '=', number)
    .executeTakeFirst()
  if (!there) throw notFound(`No booth ${number} on this floor plan`)
  const { booth, booths, details } = await readBoothDetails(reading, { number })
  const { config } = await readLiveOrTestConfiguration(reading, false)
  const metres = config.exhibitorConfig.competitorDistance
  const { companies } = await listCompanies({ ...reading, cursorScope: '' }, { limit: MAX_COMPANIES })
  return {
    ...details,
    offer: await findOpenOfferOfBooths(reading, [booth.row]),
    competitors: await findCompetitorsNearby(reading, booths, [booth.row.id], metres),
    competitorMetres: metres,
    companies: companies.filter(({ status }) => status !== 'cancelled').map(({ id, name }) => ({ value: id, label: name })),
  }
}

export type BoothPanelData = Awaited<ReturnType<typeof readBoothPanelData>>

const RANKS = ['1st', '2nd', '3rd']

const Wishes = ({ wanting }: { wanting: BoothPanelData['applicationsWanting'] }) =>
  wanting.length === 0 ? null : (
    <section>
      <h3>Applicants for this booth</h3>
      <ul class="wish">
        {wanting.slice(0, 10).map(({ company, rank, points }) => (
          <li>
            <bdi>{company.name}</bdi>
            <span>
              {RANKS[rank - 1] ?? `${rank}th`} choice · {formatMeasurement(points)} points
            </span>
          </li>
        ))}
      </ul>
    </section>
  )

const Price = ({ price }: { price: BoothPanelData['price'] }) => (
  <section>
    <h3>Price</h3>
    {price.lines.length === 0 ? (
      <p class="by">This booth has no price.</p>
    ) : (
      <dl class="price-lines">
        {price.lines.map(({ description, quantity, net }) => (
          <div>
            <dt dir="auto">{quantity === 1 ? description : `${quantity} × ${description}`}</dt>
            <dd>{formatAmountWithoutCurrency(net)}</dd>
          </div>
        ))}
        <div>
          <dt>Tax</dt>
          <dd>{formatAmountWithoutCurrency(price.tax)}</dd>
        </div>
        <div class="total">
          <dt>Total, {price.total.currency}</dt>
          <dd>{formatAmountWithoutCurrency(price.total)}</dd>
        </div>
      </dl>
    )}
  </section>
)

interface ActFormProps {
  at: PlanPageContext
  number: string
  csrf: string
  act: BoothAction
  label: string
  primary?: boolean
  children?: Child
}

const ActForm = ({ at, number, csrf, act, label, primary = false, children }: ActFormProps) => (
  <Form action={`${at.here}/booths/${encodeURIComponent(number)}`} csrf={csrf} class="stack-s">
    <input type="hidden" name="act" value={act} />
    {children}
    <Button tone={primary ? 'primary' : undefined}>{label}</Button>
  </Form>
)

const Folded = ({ title, children }: { title: string; children: Child }) => (
  <details>
    <summary>{title}</summary>
    {children}
  </details>
)

/** Lists the companies that the form offers. Applicants for the booth come first, because one of them is the likely choice. */
function companyOptions({ companies, applicationsWanting }: BoothPanelData): {
  options: SelectOption[]
  groups: { label: string; options: SelectOption[] }[]
} {
  const wanting = new Set(applicationsWanting.map(({ company }) => company.companyId))
  const [applicants, others] = [companies.filter(({ value }) => wanting.has(value)), companies.filter(({ value }) => !wanting.has(value))]
  const choose = { value: '', label: 'Choose a company' }
  if (applicants.length === 0) return { options: [choose, ...others], groups: [] }
  return {
    options: [choose],
    groups: [
      { label: 'Applicants for this booth', options: applicants },
      { label: 'Other companies', options: others },
    ],
  }
}

const FreeBoothActs = ({ shared, facts }: { shared: Pick<ActFormProps, 'at' | 'number' | 'csrf'>; facts: BoothPanelData }) => {
  const options = companyOptions(facts)
  return (
    <>
      <ActForm {...shared} act="assign" label="Assign booth" primary>
        <Select name="company" label="Company" {...options} value={facts.applicationsWanting[0]?.company.companyId ?? ''} />
      </ActForm>
      <Folded title="Hold or block this booth">
        <div class="stack">
          <ActForm {...shared} act="hold" label="Hold booth">
            <Select name="holdFor" label="Hold for" {...options} value="" />
            <Input name="until" type="date" label="Until the end of" />
          </ActForm>
          <ActForm {...shared} act="block" label="Block booth">
            <Input name="reason" label="Reason to block it" maxlength={500} autocomplete="off" />
          </ActForm>
        </div>
      </Folded>
    </>
  )
}

const Acts = ({ at, facts, csrf }: { at: PlanPageContext; facts: BoothPanelData; csrf: string }) => {
  const { number, status, company } = facts.booth
  const shared = { at, number, csrf }
  if (status === 'available') return <FreeBoothActs shared={shared} facts={facts} />
  if (status === 'held')
    return facts.offer ? (
      <>
        <ActForm {...shared} act="accept" label={`Accept for ${company?.name ?? 'the company'}`} primary />
        <ActForm {...shared} act="withdraw_offer" label="Withdraw offer…" />
      </>
    ) : (
      <>
        {company ? (
          <ActForm {...shared} act="assign" label={`Assign to ${company.name}`} primary>
            <input type="hidden" name="company" value={company.companyId} />
          </ActForm>
        ) : null}
        <ActForm {...shared} act="release" label="Release hold…" />
      </>
    )
  const act = status === 'assigned' ? 'vacate' : 'unblock'
  return (
    <Folded title={act === 'vacate' ? 'Take the booth back' : 'Make the booth available'}>
      <ActForm {...shared} act={act} label={act === 'vacate' ? 'Take booth back…' : 'Unblock booth'}>
        <Input name="reason" label="Reason" maxlength={500} autocomplete="off" />
      </ActForm>
    </Folded>
  )
}

/** The panel of one booth: holder, size, price, applicants, warnings and actions. */
export const BoothPanel = ({ at, facts, csrf }: { at: PlanPageContext; facts: BoothPanelData; csrf: string | null }) => {
  const { booth, quality, competitors, competitorMetres } = facts
  const { units } = booth
  return (
    <aside class="card plan-side sticky" id="booth" aria-labelledby="booth-title">
      <div class="card-pad">
        <section>
          <h2 id="booth-title">
            Booth {booth.number} <StatusLabel tone={BOOTH_STATUS_COLOURS[booth.status]}>{booth.status}</StatusLabel>
          </h2>
          {booth.company ? (
            <p class="by">
              For <bdi>{booth.company.name}</bdi>
              {booth.heldUntil ? ` until ${formatShortDeadline(new Date(booth.heldUntil), at.event.timezone)}` : ''}
            </p>
          ) : null}
          {booth.blockReason ? <p class="by">{booth.blockReason}</p> : null}
          <DescriptionList
            rows={[
              [
                'Area',
                `${formatMeasurement(booth.area)} ${units}², ${formatMeasurement(booth.width)} × ${formatMeasurement(booth.depth)} ${units}`,
              ],
              ['Type', `${capitalize(booth.type)}, ${booth.openSides} open ${booth.openSides === 1 ? 'side' : 'sides'}`],
              ...(quality ? [['Quality', `${formatMeasurement(quality.quality)} of 100`] as [string, string]] : []),
            ]}
          />
        </section>
        <Price price={facts.price} />
        <Wishes wanting={facts.applicationsWanting} />
        <section class="stack">
          {competitors.map(({ company, otherNumber, distance }) => (
            <Notice tone="warning">
              <p>
                <b>Competitor nearby.</b> <bdi>{company}</bdi> in {otherNumber}{' '}
                {distance === 0 ? 'shares a wall' : `is ${formatMeasurement(distance)} ${units} away`}. The limit is {competitorMetres} m.
              </p>
            </Notice>
          ))}
          {csrf === null ? null : <Acts at={at} facts={facts} csrf={csrf} />}
        </section>
      </div>
    </aside>
  )
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
