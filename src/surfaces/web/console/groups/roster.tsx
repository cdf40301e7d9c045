import { Form } from '../../components/forms.tsx'
import { StatusDot, type TableColumn, type ColourTone } from '../../components/parts.tsx'
import { formatAmountWithCurrency } from '../money/amounts.ts'
import { ParticipantStatusDot } from '../people/list.tsx'
import type { GroupDetails, GroupPageContext } from './group-page.ts'

type MemberRow = GroupDetails['members'][number]
type InviteRow = GroupDetails['invites'][number]

const INVITE_TONES: Partial<Record<InviteRow['status'], ColourTone>> = { bounced: 'danger', declined: 'danger', expired: 'warning' }
const INVITE_LABELS: Record<InviteRow['status'], string> = {
  queued: 'Being sent',
  sent: 'Not answered',
  bounced: 'Bounced',
  accepted: 'Accepted',
  declined: 'Declined',
  expired: 'Expired',
  revoked: 'Revoked',
}
const ROLE_LABELS: Record<InviteRow['role'], string> = { admin: 'Admin', leader: 'Leader', member: 'Member' }

/** A member of the group, or an invitation that was not accepted yet. */
export type RosterRow = { member: MemberRow } | { invite: InviteRow }

export const buildRosterColumns = (at: GroupPageContext, csrf: string): TableColumn<RosterRow>[] => [
  {
    label: 'Name',
    lead: true,
    cell: (row) =>
      'member' in row ? (
        <>
          <a href={`${at.base}/participants/${row.member.participantId}`} dir="auto">
            {row.member.name || row.member.email || 'No name yet'}
          </a>
          {row.member.name ? <div class="muted">{row.member.email}</div> : null}
        </>
      ) : (
        <>
          <bdi>{row.invite.name || row.invite.email}</bdi>
          {row.invite.name ? <div class="muted">{row.invite.email}</div> : null}
        </>
      ),
  },
  {
    label: 'Role',
    short: true,
    cell: (row) =>
      'member' in row
        ? row.member.leader
          ? 'Leader'
          : 'Member'
        : `Invited${row.invite.role === 'member' ? '' : ` as ${ROLE_LABELS[row.invite.role].toLowerCase()}`}`,
  },
  {
    label: 'Status',
    short: true,
    cell: (row) =>
      'member' in row ? (
        <ParticipantStatusDot status={row.member.status} />
      ) : (
        <StatusDot tone={INVITE_TONES[row.invite.status]} hollow>
          {INVITE_LABELS[row.invite.status]}
        </StatusDot>
      ),
  },
  ...(at.details.members.some(({ balance }) => Number(balance.amount) !== 0)
    ? [
        {
          label: 'Open',
          number: true,
          cell: (row: RosterRow) =>
            'member' in row && Number(row.member.balance.amount) !== 0 ? (
              formatAmountWithCurrency(row.member.balance)
            ) : (
              <span class="muted">–</span>
            ),
        },
      ]
    : []),
  ...(at.mayWrite ? [{ label: '', cell: (row: RosterRow) => <RosterActions at={at} csrf={csrf} row={row} /> }] : []),
]

const RosterActions = ({ at, csrf, row }: { at: GroupPageContext; csrf: string; row: RosterRow }) => {
  if ('invite' in row) {
    const { email, role } = row.invite
    return at.group.status === 'open' && row.invite.status !== 'declined' ? (
      <div class="actions">
        <Form action={`${at.here}/invites`} csrf={csrf}>
          <input type="hidden" name="emails" value={email} />
          <input type="hidden" name="role" value={role} />
          <input type="hidden" name="resend" value="on" />
          <button type="submit" class="button quiet small" aria-label={`Resend the invitation to ${email}`}>
            Resend
          </button>
        </Form>
      </div>
    ) : null
  }
  const { participantId, name, email } = row.member
  const called = name || email || 'this member'
  return (
    <div class="actions">
      <a class="button quiet small" href={`${at.here}/members/${participantId}`} aria-label={`Change ${called}`}>
        Change
      </a>
      <Form action={`${at.here}/members`} csrf={csrf}>
        <input type="hidden" name="action" value="remove" />
        <input type="hidden" name="participantId" value={participantId} />
        <button type="submit" class="button quiet small" aria-label={`Remove ${called}`}>
          Remove
        </button>
      </Form>
    </div>
  )
}
