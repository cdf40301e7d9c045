import type { readNegotiation } from '../../../../domains/supplier-contracts/negotiation.ts'
import { describeItem } from '../../../../domains/supplier-contracts/describe.ts'
import { formatMoney } from '../../../../kernel/language/format.ts'
import { Button, Form, TextArea } from '../../components/forms.tsx'
import { Card, Facts, Status, Time } from '../../components/parts.tsx'
import { Redline } from '../../supplier/contract-page.tsx'

type View = Awaited<ReturnType<typeof readNegotiation>>
type OpenClause = View['open'][number]

interface Props {
  view: View
  here: string
  csrf: string | null
}

/** The words of a state: redlinesReceived is Redlines received. */
export const toWords = (state: string) => {
  const words = state.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const Ladder = ({ clause }: { clause: OpenClause }) => (
  <>
    {clause.ladders.map(({ name, standard, fallback, walkAway, theirs, better }) => (
      <ul class="ladder" aria-label={`${name}: our limits`}>
        <li class="ours">
          <b>{standard}</b>our standard
        </li>
        <li>
          <b>{fallback}</b>fallback
        </li>
        <li aria-current="true">
          <b>{theirs}</b>theirs, {clause.risk} risk
        </li>
        <li>
          <b>
            {better === 'lower' ? 'over' : 'under'} {walkAway}
          </b>
          walk away
        </li>
      </ul>
    ))}
  </>
)

const PROPOSALS = { accept: 'Accept their text.', reject: 'Our last text, unchanged.', replace: '' } as const

const Counter = ({ clause: { drafted, proposal } }: { clause: OpenClause }) => {
  const item = describeItem(drafted ?? proposal)
  return (
    <div class="counter">
      <b>{drafted ? 'Drafted counter' : 'Proposed counter, balanced'}</b>
      {item.body ?? PROPOSALS[item.action]}
      <p class="why-risk">{item.why}</p>
    </div>
  )
}

const ClauseSection = ({ clause, here, csrf }: { clause: OpenClause; here: string; csrf: string | null }) => (
  <section class="clause" id={clause.key}>
    <div class="clause-head">
      <h3 dir="auto">
        {clause.number === null ? '' : `${clause.number}. `}
        {clause.title}
      </h3>
      <span class="tag">
        {clause.risk} risk{clause.isRemoved ? ', removed' : ''}
      </span>
      <Status tone={clause.state === 'open' ? 'warning' : undefined}>{clause.drafted ? 'Counter drafted' : toWords(clause.state)}</Status>
    </div>
    {clause.hunks.length > 0 ? <Redline hunks={clause.hunks} /> : <p class="redline">{clause.text}</p>}
    {clause.reasons.length > 0 ? <p class="why-risk">{clause.reasons.join(' ')}</p> : null}
    <Ladder clause={clause} />
    {clause.state === 'open' ? <Counter clause={clause} /> : null}
    {csrf === null ? null : (
      <Form action={`${here}/clause`} csrf={csrf} class="stack">
        <input type="hidden" name="key" value={clause.key} />
        {clause.walk_away || clause.isRemoved ? <TextArea name="note" label="Note, needed to accept this" rows={2} /> : null}
        <div class="actions">
          {clause.state === 'open' ? (
            <Button name="decision" value="counter">
              Use our counter
            </Button>
          ) : null}
          <Button name="decision" value="accept">
            Accept their text
          </Button>
          {clause.state === 'open' ? (
            <Button name="decision" value="reject">
              Keep our text
            </Button>
          ) : (
            <Button name="decision" value="reopen">
              Reopen
            </Button>
          )}
        </div>
      </Form>
    )}
  </section>
)

const isSendable = ({ row, draft }: View) => (row.status === 'counterProposed' && draft !== null) || row.status === 'counterApplied'

/** The form that sends the contract, or null if there is nothing to send. */
function buildActions({ view, here, csrf }: Props) {
  const { row, detail } = view
  if (csrf === null) return null
  if (row.status === 'draft')
    return (
      <Form action={`${here}/submit`} csrf={csrf} class="stack">
        <p class="outcome">
          {detail.missingVars.length > 0
            ? `Values are missing: ${detail.missingVars.map(({ key, name }) => `${key} ${name}`).join(', ')}.`
            : `If you send: ${row.contact_email ?? 'the supplier'} gets a link to the contract and the PDF.`}
        </p>
        <Button tone="primary">Send version {row.current_version}</Button>
      </Form>
    )
  if (!isSendable(view)) return null
  const next = row.status === 'counterApplied' ? row.current_version : row.current_version + 1
  return (
    <Form action={`${here}/send`} csrf={csrf} class="stack">
      <p class="outcome">If you send: {row.contact_email} gets a link with the changed clauses only. Accepted clauses count as agreed.</p>
      <Button tone="primary">
        {row.status === 'counterApplied' ? 'Send' : 'Apply and send'} version {next}
      </Button>
    </Form>
  )
}

const OpenClauses = (props: Props) => {
  const { open, detail } = props.view
  const title = open.length === 0 ? 'All clauses are agreed' : `${open.length} of ${detail.clauses.length} clauses are not agreed`
  return (
    <Card title={title} pad={false} foot={buildActions(props)}>
      {open.map((clause) => (
        <ClauseSection clause={clause} here={props.here} csrf={props.csrf} />
      ))}
    </Card>
  )
}

const AgreedClauses = ({ view: { detail } }: { view: View }) => {
  const agreed = detail.clauses.map((clause, index) => ({ ...clause, number: index + 1 })).filter(({ state }) => state === 'agreed')
  return (
    <Card title={`${agreed.length} agreed clauses`}>
      {agreed.map(({ number, title, body, note }) => (
        <details class="fold">
          <summary dir="auto">
            {number}. {title}
          </summary>
          <p class="muted redline">{body}</p>
          {note ? <p class="why-risk">{note}</p> : null}
        </details>
      ))}
    </Card>
  )
}

const Side = ({ view: { detail, row }, here, csrf }: Props) => (
  <div class="grid">
    {csrf !== null && (row.status === 'submitted' || row.status === 'counterSent') ? (
      <Card title="Redlines came by email?">
        <Form action={`${here}/redlines`} csrf={csrf} files class="stack">
          <label for="document">Word file with tracked changes</label>
          <input type="file" id="document" name="document" accept=".docx" />
          <p class="small muted">Clauses are found by their heading. Text without a heading is listed for you to place.</p>
          <Button>Read redlines</Button>
        </Form>
      </Card>
    ) : null}
    <Card title="Versions">
      <ul class="people-list">
        {detail.versions.toReversed().map(({ n, by, createdBy, createdAt }) => (
          <li>
            <Status tone={by === 'supplier' ? 'warning' : undefined}>{String(n)}</Status>
            <span>
              <Time at={new Date(createdAt)} />, <bdi>{createdBy}</bdi>
              {by === 'supplier' ? ' for the supplier' : ''}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  </div>
)

export const ContractBody = (props: Props) => {
  const { detail, writtenBy, writtenAt } = props.view
  return (
    <div class="stack">
      <Card
        title="Contract"
        actions={
          <>
            <a class="button" href={`${props.here}/contract.docx`}>
              Word
            </a>
            <a class="button" href={`${props.here}/contract.pdf`}>
              PDF
            </a>
          </>
        }
      >
        <Facts
          rows={[
            ['Status', <Status>{toWords(detail.status)}</Status>],
            [
              'Version',
              <>
                {detail.version} {writtenBy === 'supplier' ? 'from the supplier' : 'from us'}, <Time at={writtenAt} />
              </>,
            ],
            ['Committed', formatMoney('en-GB', detail.committed)],
            ['Contact', <bdi>{detail.contactEmail ?? 'None'}</bdi>],
          ]}
        />
      </Card>
      <div class="grid wide-left">
        <div class="grid">
          <OpenClauses {...props} />
          <AgreedClauses view={props.view} />
        </div>
        <Side {...props} />
      </div>
    </div>
  )
}
