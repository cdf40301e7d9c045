import type { readContractNegotiation } from '../../../../domains/supplier-contracts/negotiation.ts'
import { describeCounterProposalItem } from '../../../../domains/supplier-contracts/describe.ts'
import { formatVariableWithUnit, getVariableLabel } from '../../../../domains/supplier-contracts/library/variable-names.ts'
import { CONTRACT_STATES } from '../../../../domains/supplier-contracts/states.ts'
import { diffWords } from '../../../../domains/supplier-contracts/words.ts'
import { formatDay } from '../../../../kernel/language/format.ts'
import { Button, Checkbox, Form, TextArea } from '../../components/forms.tsx'
import { AssistantPrompt, Card, StatusDot, StatusLabel, TimestampText, type ColourTone } from '../../components/parts.tsx'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { Redline } from '../../supplier/contract-page.tsx'

type View = Awaited<ReturnType<typeof readContractNegotiation>>
type OpenClause = View['open'][number]

interface Props {
  view: View
  here: string
  csrf: string | null
}

/** Converts a contract state to words: `redlinesReceived` is "Redlines received". */
export const formatContractState = (state: string) => {
  const words = state.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The badge colours of contract states: a warning if the organizer has to act next, an accent if the supplier or the signers have to. */
export const CONTRACT_STATUS_COLOURS: Record<View['row']['status'], ColourTone | undefined> = {
  draft: undefined,
  submitted: 'accent',
  redlinesReceived: 'warning',
  counterProposed: 'warning',
  counterApplied: 'warning',
  counterSent: 'accent',
  readyForSignature: 'warning',
  outForSignature: 'accent',
  executed: 'success',
}

const RISK_TONES: Record<OpenClause['risk'], ColourTone | undefined> = { low: undefined, medium: 'warning', high: 'danger' }

const Ladder = ({ clause }: { clause: OpenClause }) => (
  <>
    {clause.ladders.map(({ name, standard, fallback, walkAway, theirs, counter, better }) => (
      <ul class="ladder" aria-label={`${getVariableLabel(name)}: our limits`}>
        <li>
          <b>{formatVariableWithUnit(name, standard)}</b>our standard
        </li>
        <li>
          <b>{formatVariableWithUnit(name, fallback)}</b>fallback
        </li>
        {counter === null ? null : (
          <li class="ours" aria-current="true">
            <b>{formatVariableWithUnit(name, counter)}</b>our counter
          </li>
        )}
        {theirs === null ? null : (
          <li class="theirs" aria-current={counter === null ? 'true' : undefined}>
            <b>{formatVariableWithUnit(name, theirs)}</b>
            {counter === null ? `theirs, ${clause.risk} risk` : 'theirs'}
          </li>
        )}
        <li>
          <b>
            {better === 'lower' ? 'over' : 'under'} {formatVariableWithUnit(name, walkAway)}
          </b>
          walk away
        </li>
      </ul>
    ))}
  </>
)

const PROPOSALS = { accept: 'Accept their text.', reject: 'Our last text, unchanged.', replace: '' } as const

const Counter = ({ clause: { drafted, proposal, text } }: { clause: OpenClause }) => {
  const item = describeCounterProposalItem(drafted ?? proposal)
  return (
    <div class="counter">
      <b>{drafted ? 'Drafted counter' : 'Proposed counter, balanced'}</b>
      {item.body === undefined ? PROPOSALS[item.action] : <Redline hunks={diffWords(text, item.body)} />}
      {drafted || item.body === undefined ? <p class="why-risk">{item.why}</p> : null}
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
      <StatusLabel tone={RISK_TONES[clause.risk]}>{`${clause.risk} risk${clause.isRemoved ? ', removed' : ''}`}</StatusLabel>
      <StatusDot tone={clause.state === 'open' ? 'warning' : undefined}>
        {clause.drafted ? 'Counter drafted' : formatContractState(clause.state)}
      </StatusDot>
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
            <Button tone={clause.drafted ? undefined : 'primary'} name="decision" value="counter">
              Use our counter
            </Button>
          ) : null}
          <Button name="decision" value="accept">
            {clause.isCounter ? 'Mark as agreed' : 'Accept their text'}
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

/** Lists the contract variables that have no value yet, each with the title of its clause. */
const listMissingValues = ({ detail: { clauses, missingVars } }: View) =>
  missingVars
    .map(({ key, name }) => `${clauses.find((clause) => clause.key === key)?.title ?? key}, ${getVariableLabel(name).toLowerCase()}`)
    .join('; ')

const isSendable = ({ row, draft }: View) => (row.status === 'counterProposed' && draft !== null) || row.status === 'counterApplied'

/** Builds the form that sends the contract to the supplier; null if there is nothing to send, or the user may not change contracts. */
function buildActions({ view, here, csrf }: Props) {
  const { row, detail } = view
  if (csrf === null) return null
  if (row.status === 'draft')
    return (
      <Form action={`${here}/submit`} csrf={csrf} class="stack">
        <p class="outcome">
          {detail.missingVars.length > 0 ? (
            `Values are missing: ${listMissingValues(view)}.`
          ) : (
            <>
              <strong>If you send:</strong> <bdi>{row.contact_email ?? 'the supplier'}</bdi> gets a link to the contract and the PDF.
            </>
          )}
        </p>
        <Button tone="primary">Send version {row.current_version}</Button>
      </Form>
    )
  if (!isSendable(view)) return null
  const next = row.status === 'counterApplied' ? row.current_version : row.current_version + 1
  return (
    <Form action={`${here}/send`} csrf={csrf} class="stack">
      <p class="outcome">
        <strong>If you send:</strong> <bdi>{row.contact_email}</bdi> gets a link with the changed clauses only. Accepted clauses count as
        agreed.
      </p>
      <Button tone="primary">
        {row.status === 'counterApplied' ? 'Send' : 'Apply and send'} version {next}
      </Button>
    </Form>
  )
}

const OpenClauses = (props: Props) => {
  const { row, open, detail } = props.view
  const title = open.length === 0 ? 'All clauses are agreed' : `${open.length} of ${detail.clauses.length} clauses are not agreed`
  return (
    <Card title={row.status === 'draft' ? 'Not sent yet' : title} pad={false} foot={buildActions(props)}>
      {open.map((clause) => (
        <ClauseSection clause={clause} here={props.here} csrf={props.csrf} />
      ))}
    </Card>
  )
}

const AgreedClauses = ({ view: { row, detail } }: { view: View }) => {
  const agreed = detail.clauses.map((clause, index) => ({ ...clause, number: index + 1 })).filter(({ state }) => state === 'agreed')
  return (
    <Card title={`${agreed.length} ${row.status === 'draft' ? '' : 'agreed '}clauses`}>
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

/** Links to the clauses that are not agreed. */
const ClauseLinks = ({ view: { open } }: Pick<Props, 'view'>) =>
  open.length === 0 ? null : (
    <Card title="Clauses to agree">
      <nav aria-label="Clauses to agree">
        <ul class="people-list">
          {open.map(({ key, number, title, state, drafted, risk }) => (
            <li>
              <StatusDot tone={state === 'open' && !drafted ? 'warning' : undefined}>
                {drafted ? 'Counter drafted' : formatContractState(state)}
              </StatusDot>
              <a class="tap" href={`#${key}`} dir="auto">
                {number === null ? '' : `${number}. `}
                {title}
              </a>
              <span class="small muted">{risk} risk</span>
            </li>
          ))}
        </ul>
      </nav>
    </Card>
  )

/** Shows whether the contract can be signed, and the form that makes its text final for signing. */
const ReadyCard = ({ view, here, csrf }: Props) => {
  const { row, detail, open, writtenBy } = view
  if (row.status === 'draft') return null
  if (row.status === 'executed')
    return (
      <Card title="Signed">
        <p>All have signed. The contract is in force from {formatDay('en-GB', row.executed_on!)}.</p>
      </Card>
    )
  if (row.status === 'outForSignature')
    return (
      <Card title="Out for signature">
        <p>
          {detail.envelope ? (
            <>
              The signers can sign until <TimestampText at={new Date(detail.envelope.expiresAt)} />.
            </>
          ) : null}
        </p>
        {csrf === null ? null : (
          <p>
            <a class="button" href={`${here}/void`}>
              Stop the signing
            </a>
          </p>
        )}
      </Card>
    )
  if (row.status === 'readyForSignature')
    return (
      <Card title="Ready to sign">
        <div class="stack">
          <p>The text of version {row.current_version} is final.</p>
          {csrf === null ? (
            <AssistantPrompt id="sign" text={`Send contract ${row.number} for signature to the signers of both sides.`} />
          ) : (
            <p>
              <a class="button primary" href={`${here}/sign`}>
                Send for signature
              </a>
            </p>
          )}
        </div>
      </Card>
    )
  const isPrepared = CONTRACT_STATES.can(row.status, 'readyForSignature') && detail.missingVars.length === 0
  const canAcceptAll = isPrepared && open.length > 0 && writtenBy === 'us'
  return (
    <Card title="Ready to sign?">
      <div class="stack">
        <p>{describeReadiness(view)}</p>
        {csrf === null || !isPrepared || (open.length > 0 && !canAcceptAll) ? null : (
          <Form action={`${here}/ready`} csrf={csrf} class="stack">
            {canAcceptAll ? (
              <Checkbox name="acceptAll" label={`The supplier agreed to version ${row.current_version} as it was sent`} />
            ) : null}
            <Button>Prepare for signature</Button>
          </Form>
        )}
      </div>
    </Card>
  )
}

function describeReadiness({ row, detail, open }: View): string {
  if (row.status === 'counterProposed') return 'Not yet: our counter is not sent.'
  if (detail.missingVars.length > 0) return 'Not yet: values are missing.'
  if (open.length === 0) return 'All clauses are agreed.'
  const titles = new Intl.ListFormat('en-GB').format(open.map(({ title }) => title))
  return `Not yet: ${titles} ${open.length === 1 ? 'is' : 'are'} not agreed.`
}

const Side = ({ view, here, csrf }: Props) => {
  const { detail, row } = view
  return (
    <div class="grid contract-side">
      <ClauseLinks view={view} />
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
              <StatusDot tone={by === 'supplier' ? 'warning' : undefined}>{String(n)}</StatusDot>
              <span>
                <TimestampText at={new Date(createdAt)} />, <bdi>{createdBy}</bdi>
                {by === 'supplier' ? ' for the supplier' : ''}
              </span>
            </li>
          ))}
        </ul>
      </Card>
      <ReadyCard view={view} here={here} csrf={csrf} />
    </div>
  )
}

/** The version of the contract, its amount and contact, for the heading of the page. */
export const ContractSummary = ({ view: { detail, row, writtenBy, writtenAt } }: { view: View }) => (
  <>
    Version {detail.version} {writtenBy === 'supplier' ? 'from the supplier' : 'from us'}, <TimestampText at={writtenAt} />. Committed:{' '}
    {formatAmountWithCurrency(detail.committed)}. Contact: <bdi>{detail.contactEmail ?? 'none'}</bdi>.
    {row.status === 'submitted' || row.status === 'counterSent' ? ' The supplier has not answered yet.' : null}
  </>
)

export const ContractStatus = ({ view: { row } }: { view: View }) => (
  <StatusLabel tone={CONTRACT_STATUS_COLOURS[row.status]}>{formatContractState(row.status)}</StatusLabel>
)

export const ContractPageContent = (props: Props) => (
  <div class="grid wide-left contract-parts">
    <OpenClauses {...props} />
    <Side {...props} />
    <AgreedClauses view={props.view} />
  </div>
)
