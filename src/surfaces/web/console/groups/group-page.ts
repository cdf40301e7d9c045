import { describeGroup } from '../../../../domains/groups/list.ts'
import { type GroupOrderBalance, readGroupOrderBalances } from '../../../../domains/groups/bills.ts'
import { GROUP_SEAT_FIELD_NAMES } from '../../../../domains/groups/group-record.ts'
import { GROUP_KINDS } from '../../../../domains/groups/tables.ts'
import { findGroupByCode } from '../../../../domains/groups/groups.ts'
import { notFound } from '../../../../kernel/errors.ts'
import type { Permission } from '../../../../kernel/permissions.ts'
import { formatInteger } from '../../components/figures.tsx'
import type { WebContext, WebServices } from '../../web.ts'
import { CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from '../event/event-page.ts'

export const GROUPS_PATH = `${CONSOLE_EVENT_PATH}/groups`
export const CONSOLE_GROUP_PATH = `${GROUPS_PATH}/:group`

export const GROUP_KIND_LABELS: Record<(typeof GROUP_KINDS)[number], string> = {
  company: 'Company',
  delegation: 'Delegation',
  school: 'School',
  family: 'Family',
  other: 'Other',
}

export const GROUP_KIND_OPTIONS = GROUP_KINDS.map((kind) => ({ value: kind, label: GROUP_KIND_LABELS[kind] }))

export type GroupDetails = Awaited<ReturnType<typeof describeGroup>>
export type ListedGroup = GroupDetails['groups'][number]

/** The name of the field with a group's maximum number of members, which pages call seats. */
export const GROUP_SEATS_FIELD = GROUP_SEAT_FIELD_NAMES[1]

/** The members of a group, its seats and how many of them are free. Without a limit, `seats` and `free` are null. */
export function readGroupSeats({ memberCount, [GROUP_SEATS_FIELD]: seats }: Pick<ListedGroup, (typeof GROUP_SEAT_FIELD_NAMES)[number]>) {
  const members = formatInteger(memberCount)
  return {
    seats,
    free: seats === null ? null : Math.max(0, seats - memberCount),
    text: seats === null ? members : `${members} of ${formatInteger(seats)}`,
  }
}

/** The group and event that the URL of the page names. */
export interface GroupPageContext extends EventPageContext {
  group: ListedGroup
  details: GroupDetails
  bill: GroupOrderBalance | null
  here: string
  mayWrite: boolean
}

export const MEMBERS_PER_PAGE = 50

export async function getGroupPageContext(web: WebServices, c: WebContext, see: Permission): Promise<GroupPageContext> {
  const at = await getEventPageContext(web, c, see)
  const code = c.req.param('group') ?? ''
  // A missing group and a group of another event get the same response, so that it reveals nothing.
  if (!(await findGroupByCode(at.reading, code))) throw notFound('This group does not exist')
  const cursorScope = `${at.session.userId}|console members of ${code} at ${at.event.id}`
  const details = await describeGroup({ ...at.reading, cursorScope }, code, {
    limit: MEMBERS_PER_PAGE,
    cursor: c.req.query('cursor') || undefined,
  })
  const group = details.groups[0]!
  return {
    ...at,
    group,
    details,
    bill: (await readGroupOrderBalances(at.reading, [group.id])).get(group.id) ?? null,
    here: `${at.base}/groups/${group.code}`,
    mayWrite: at.permissions.has('registration.write') && at.event.status !== 'archived',
  }
}
