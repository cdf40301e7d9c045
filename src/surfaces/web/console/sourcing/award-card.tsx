import type { CurrentAward } from '../../../../domains/awards/live-award.ts'
import { formatMinorUnitAmount } from '../../../../domains/bids/picture.ts'
import { toMinorUnits } from '../../../../kernel/money.ts'
import { Button, Checkbox, Form, TextArea } from '../../components/forms.tsx'
import { Card, Notice, StatusLabel, TimestampText } from '../../components/parts.tsx'

interface AwardCardProps {
  award: CurrentAward
  here: string
  /** The CSRF token of the forms; null for users who may not change sourcing. */
  csrf: string | null
}

const format = (minor: number, currency: string) => `${formatMinorUnitAmount(minor, currency)} ${currency}`

const People = ({ award: { row, proposedBy, executedBy, approvalLimit } }: Pick<AwardCardProps, 'award'>) => (
  <ul class="people-list">
    <li>
      <span>
        <b dir="auto">{proposedBy}</b> proposed it, <TimestampText at={row.created_at} />
      </span>
    </li>
    {executedBy === null ? (
      approvalLimit === null ? null : (
        <li>
          <span class="small muted">
            Above {format(toMinorUnits(approvalLimit.amount, approvalLimit.currency), approvalLimit.currency)}, a second person with the
            permission for money decides.
          </span>
        </li>
      )
    ) : (
      <li>
        <span>
          <b dir="auto">{executedBy}</b> decided it, <TimestampText at={row.executed_at!} />
        </span>
      </li>
    )}
  </ul>
)

/** The forms about a proposed award (the choice of suppliers for an RFP): execute the award, or withdraw the proposal. */
const Decision = ({ award, here, csrf }: AwardCardProps & { csrf: string }) => {
  const { row, lines, obstacle, decliningText } = award
  return (
    <>
      {obstacle === null ? (
        <Form action={`${here}/award`} csrf={csrf} class="stack">
          <input type="hidden" name="award" value={row.id} />
          <p class="outcome">
            <strong>If you award:</strong> {lines.map(({ supplier }) => supplier).join(' and ')} gets an email today, and the other
            suppliers with an offer get your reason. Scores can no longer change. No contract is signed yet.
          </p>
          <TextArea name="reason" label="Reason for the others" rows={3} maxlength={2000} value={decliningText} />
          <Checkbox name="disclose" label="Name the winner to them" />
          <div class="actions">
            <Button tone="primary">Award {format(row.total, row.currency)}</Button>
          </div>
        </Form>
      ) : (
        <p class="outcome">{obstacle}.</p>
      )}
      <Form action={`${here}/withdraw`} csrf={csrf}>
        <input type="hidden" name="award" value={row.id} />
        <div class="actions">
          <Button>Withdraw the proposal</Button>
        </div>
      </Form>
    </>
  )
}

/** The award of an RFP to its suppliers, on the page that compares their responses. */
export const AwardCard = ({ award, here, csrf }: AwardCardProps) => {
  const { row, lines, net, warnings } = award
  const isProposed = row.status === 'proposed'
  return (
    <Card
      id="award"
      title="Award"
      actions={<StatusLabel tone={isProposed ? 'warning' : 'success'}>{row.status}</StatusLabel>}
      foot={isProposed && csrf !== null ? <Decision award={award} here={here} csrf={csrf} /> : null}
    >
      <div class="stack">
        {lines.map(({ supplier, roomNights }) => (
          <p>
            <strong dir="auto">{supplier}</strong>
            {roomNights === 0 ? null : `, ${roomNights.toLocaleString('en-GB')} room nights`}
          </p>
        ))}
        <p class="figure">
          {format(row.total, row.currency)} gross, {format(net, row.currency)} net
        </p>
        <blockquote class="small" dir="auto">
          {row.rationale}
        </blockquote>
        <People award={award} />
        {warnings.map(({ message }) => (
          <Notice tone="warning">
            <p>{message}.</p>
          </Notice>
        ))}
      </div>
    </Card>
  )
}
