import type { ScannedLead } from '../../../domains/exhibitors/scan.ts'
import type { SampleLead, TestLead } from '../../../domains/exhibitors/sample-leads.ts'
import { StatusLabel } from '../components/parts.tsx'

type Shown = Pick<ScannedLead, 'captures' | 'fields' | 'customFields' | 'photoUrl'> &
  Partial<Pick<SampleLead, 'isTest'>> &
  Partial<Pick<TestLead, 'testEvent'>>

const LABELS = [
  ['jobTitle', 'Job title'],
  ['company', 'Company'],
  ['email', 'Email'],
  ['workPhone', 'Work phone'],
  ['mobilePhone', 'Mobile phone'],
  ['website', 'Website'],
  ['bio', 'About'],
] as const

const timesScanned = (count: number) => (count === 1 ? 'Scanned once' : `Scanned ${count} times`)

/** The card of a scanned lead. The page's script fills in a copy of it, so each part carries its name in a data attribute. */
export const LeadCard = ({ lead }: { lead: Shown }) => {
  const { fields, customFields, photoUrl, captures } = lead
  return (
    <section class="card lead-card" aria-labelledby="lead-name">
      <header>
        {photoUrl ? <img data-photo src={photoUrl} alt="" width="56" height="56" /> : null}
        <div>
          <h2 id="lead-name">
            {fields.firstName} {fields.lastName}
          </h2>
          <p class="small muted" data-once={timesScanned(1)} data-times={timesScanned(Number.NaN)}>
            {timesScanned(captures)}
          </p>
        </div>
        {lead.testEvent ? <LeadBadge name="testEvent">Test event</LeadBadge> : null}
        {lead.isTest ? <LeadBadge name="isTest">Sample</LeadBadge> : null}
      </header>
      <div class="card-body">
        <dl class="facts">
          {LABELS.flatMap(([name, label]) =>
            fields[name] === undefined ? [] : [<dt data-name={name}>{label}</dt>, <dd data-field={name}>{fields[name]}</dd>],
          )}
          {customFields.flatMap(({ label, value }) => [<dt>{label}</dt>, <dd>{value}</dd>])}
        </dl>
      </div>
    </section>
  )
}

const LeadBadge = ({ name, children }: { name: string; children: string }) => (
  <span data-only={name}>
    <StatusLabel tone="warning">{children}</StatusLabel>
  </span>
)

const PLACEHOLDER_LEAD: Shown = {
  captures: 1,
  fields: { firstName: 'First', lastName: 'Last', ...Object.fromEntries(LABELS.map(([name]) => [name, ''])) },
  customFields: [],
  photoUrl: 'data:,',
  testEvent: true,
  isTest: true,
}

export const LeadCardTemplate = () => (
  <template id="lead-blank">
    <LeadCard lead={PLACEHOLDER_LEAD} />
  </template>
)
