import { readGroupOrderBalances, type GroupOrderBalance } from '../../../../domains/groups/bills.ts'
import { listGroups } from '../../../../domains/groups/list.ts'
import { GROUP_KINDS } from '../../../../domains/groups/tables.ts'
import { formatInteger } from '../../components/figures.tsx'
import { LinkButton } from '../../components/forms.tsx'
import { renderListPage } from '../../components/list-page.tsx'
import { StatusDot, type TableColumn } from '../../components/parts.tsx'
import { buildStatusFilter } from '../../components/search-bar.tsx'
import { formatTotalWithNoun } from '../../totals.ts'
import type { WebServices } from '../../web.ts'
import { getEventPageContext } from '../event/event-page.ts'
import { formatAmountWithoutCurrency } from '../money/amounts.ts'
import { readListQuery } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { GROUPS_PATH, GROUP_KIND_LABELS, GROUP_KIND_OPTIONS, type ListedGroup, readGroupSeats } from './group-page.ts'

const STATUSES = ['open', 'closed'] as const

/** The status of a group: an overdue bill comes first, then whether the group is closed, then whether its bill is paid. */
export const GroupStatusDot = ({ group, bill }: { group: ListedGroup; bill: GroupOrderBalance | null }) => {
  if (bill && bill.daysOverdue > 0) return <StatusDot tone="danger">Overdue</StatusDot>
  if (group.status === 'closed') return <StatusDot hollow>Closed</StatusDot>
  if (bill && Number(bill.total.amount) > 0 && Number(bill.balance.amount) <= 0) return <StatusDot tone="success">Paid</StatusDot>
  return <StatusDot tone="success">Open to new members</StatusDot>
}

const columns = (base: string, bills: ReadonlyMap<string, GroupOrderBalance>, currency: string): TableColumn<ListedGroup>[] => [
  {
    label: 'Group',
    lead: true,
    cell: ({ code, name }) => (
      <a href={`${base}/groups/${code}`} dir="auto">
        {name}
      </a>
    ),
  },
  { label: 'Kind', wideOnly: true, cell: ({ kind }) => <span class="muted nowrap">{GROUP_KIND_LABELS[kind]}</span> },
  {
    label: 'Members',
    cell: (group) => {
      const { seats, text } = readGroupSeats(group)
      // One element contains all texts, because on phones the stylesheet puts space between the children of a table cell.
      return (
        <span>
          {text} {seats === null ? null : <span class="muted">seats</span>}
          {group.invitesOpen > 0 ? <span class="muted">, {formatInteger(group.invitesOpen)} invited</span> : null}
        </span>
      )
    },
  },
  {
    label: `Bill, ${currency}`,
    number: true,
    wideOnly: true,
    cell: ({ id, payBy }) => {
      const bill = bills.get(id)
      return bill ? formatAmountWithoutCurrency(bill.total) : payBy === 'members' ? 'each member pays' : <span class="muted">–</span>
    },
  },
  { label: `Still to pay, ${currency}`, number: true, cell: ({ balance }) => <strong>{formatAmountWithoutCurrency(balance)}</strong> },
  { label: 'Status', short: true, cell: (group) => <GroupStatusDot group={group} bill={bills.get(group.id) ?? null} /> },
]

/** `…/groups`: the groups of the event with their members and bills. */
export function groupListPages(web: WebServices) {
  return createConsoleRouter(web).get(GROUPS_PATH, async (c) => {
    const at = await getEventPageContext(web, c, 'registration.read')
    const { filter, cursor, cursorScope, pageLinks } = readListQuery(c, `groups of ${at.event.id}`, ['search', 'kind', 'status'])
    const here = `${at.base}/groups`
    const found = await listGroups(
      { ...at.reading, cursorScope },
      {
        search: filter.search,
        kind: GROUP_KINDS.find((kind) => kind === filter.kind),
        status: STATUSES.find((status) => status === filter.status),
        limit: 50,
        cursor,
      },
    )
    const bills = await readGroupOrderBalances(
      at.reading,
      found.groups.map(({ id }) => id),
    )
    const mayWrite = at.permissions.has('registration.write') && at.event.status !== 'archived'
    const isFiltered = Object.values(filter).some((value) => value !== undefined)
    const page = renderListPage({
      title: `Groups of ${at.event.name}`,
      heading: 'Groups',
      text:
        found.groups.length > 0
          ? `Delegations, companies and classes that register together. ${formatTotalWithNoun(found, 'group')}.`
          : 'Delegations, companies and classes that register together.',
      crumbs: [{ href: `${at.base}/participants`, label: 'Participants' }],
      actions: mayWrite ? (
        <LinkButton href={`${here}/new`} tone="primary">
          New group
        </LinkButton>
      ) : null,
      search: {
        action: here,
        search: { label: 'Search groups', placeholder: 'Name or code', value: filter.search },
        filters: [
          { name: 'kind', label: 'Any kind', options: GROUP_KIND_OPTIONS, value: filter.kind },
          buildStatusFilter(STATUSES, filter.status),
        ],
      },
      caption: 'Groups',
      columns: columns(at.base, bills, at.event.currency),
      rows: found.groups,
      empty: {
        title: isFiltered ? 'No groups found' : 'No groups yet',
        ask: `Create a delegation of 12 for the University of Zagreb at ${at.event.name}; the group pays.`,
        text: 'A group registers its people together, on one bill or each on their own.',
      },
      pages: pageLinks(here, found.nextCursor, found.total),
    })
    return sendConsolePage(web, c, getNavigationPosition(at, 'groups'), page)
  })
}
