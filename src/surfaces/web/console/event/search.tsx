import { listCompanies } from '../../../../domains/exhibitors/company/read-company.ts'
import { listGroups } from '../../../../domains/groups/list.ts'
import { findEventHotels } from '../../../../domains/housing/hotels.ts'
import { findParticipants } from '../../../../domains/registration/find/find-participants.ts'
import { PARTICIPANT_STATUSES } from '../../../../domains/registration/tables.ts'
import { listSubmissions } from '../../../../domains/submissions/list.ts'
import { listProgramSessions } from '../../../../domains/submissions/program-sessions.ts'
import { buildEventPagePaths } from '../../../../domains/tenancy/public-pages.ts'
import type { EventContext } from '../../../../kernel/context.ts'
import { formatInstantWithTimeZone } from '../../../../kernel/language/format.ts'
import type { Permission } from '../../../../kernel/permissions.ts'
import { renderContentPage } from '../../components/page.tsx'
import { Card, EmptyState } from '../../components/parts.tsx'
import { SearchBar } from '../../components/search-bar.tsx'
import type { WebServices } from '../../web.ts'
import { buildListPath, readListQuery } from '../filters.ts'
import { createConsoleRouter, sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { CONSOLE_EVENT_PATH, type EventPageContext, getEventPageContext } from './event-page.ts'

/** Maximum number of records of one kind on the page; the list of that kind shows the rest. */
const MAX_SHOWN = 5

interface FoundRecord {
  href: string
  name: string
  detail?: string | null | undefined
}

interface SearchableList {
  permission: Permission
  title: string
  /** The page that lists all records of the kind, relative to the event's page. */
  path: string
  /** Whether the list page has a search field, so that the link to the page can contain the search words. */
  hasSearch: boolean
  find: (ctx: EventContext, search: string, at: EventPageContext) => Promise<FoundRecord[]>
}

const LISTS: readonly SearchableList[] = [
  {
    permission: 'registration.read',
    title: 'Participants',
    path: 'participants',
    hasSearch: true,
    find: async (ctx, search, { base }) =>
      (
        await findParticipants(ctx, { search, status: PARTICIPANT_STATUSES, includeTestData: false, limit: MAX_SHOWN + 1 })
      ).participants.map(({ id, name, email, status, company }) => ({
        href: `${base}/participants/${id}`,
        name: name || email || 'No name yet',
        detail: [company, email, status].filter(Boolean).join(' · '),
      })),
  },
  {
    permission: 'registration.read',
    title: 'Groups',
    path: 'groups',
    hasSearch: true,
    find: async (ctx, search, { base }) =>
      (await listGroups(ctx, { search, limit: MAX_SHOWN + 1 })).groups.map(({ name, code }) => ({
        href: `${base}/groups/${code}`,
        name,
        detail: code,
      })),
  },
  {
    permission: 'exhibitors.read',
    title: 'Exhibitors',
    path: 'companies',
    hasSearch: true,
    find: async (ctx, search, { base }) =>
      (await listCompanies(ctx, { search, limit: MAX_SHOWN + 1 })).companies.map(({ id, name, code }) => ({
        href: `${base}/companies/${id}`,
        name,
        detail: code,
      })),
  },
  {
    permission: 'sessions.read',
    title: 'Sessions',
    path: 'program/sessions',
    hasSearch: false,
    find: async (ctx, search, { base, client, event }) => {
      const { agenda } = buildEventPagePaths({ tenantCode: ctx.tenantCode, client, event })
      return (await listProgramSessions(ctx, search)).slice(0, MAX_SHOWN + 1).map(({ title, code, submission, startsAt, speakers }) => ({
        href: submission ? `${base}/program/${submission}` : `${agenda}/${code}`,
        name: title,
        detail: [formatInstantWithTimeZone('en-GB', startsAt, event.timezone), ...speakers].join(' · '),
      }))
    },
  },
  {
    permission: 'sessions.read',
    title: 'Proposals',
    path: 'program',
    hasSearch: true,
    find: async (ctx, search, { base }) =>
      (await listSubmissions(ctx, { search, sort: 'submittedAt', limit: MAX_SHOWN + 1 })).submissions.map(({ number, title, status }) => ({
        href: `${base}/program/${number}`,
        name: title,
        detail: `${number} · ${status}`,
      })),
  },
  {
    permission: 'housing.read',
    title: 'Hotels',
    path: 'housing',
    hasSearch: false,
    find: async (ctx, search, { base }) =>
      (await findEventHotels(ctx, search, MAX_SHOWN + 1)).map(({ name, code }) => ({
        href: `${base}/housing/${code}`,
        name,
        detail: code,
      })),
  },
]

const Found = ({ at, list, records, search }: { at: EventPageContext; list: SearchableList; records: FoundRecord[]; search: string }) => {
  const all = buildListPath(`${at.base}/${list.path}`, list.hasSearch ? { search } : {})
  return (
    <Card title={list.title} foot={records.length > MAX_SHOWN ? <a href={all}>More in {list.title}</a> : null} pad={false}>
      <ul class="found">
        {records.slice(0, MAX_SHOWN).map(({ href, name, detail }) => (
          <li>
            <a href={href} dir="auto">
              {name}
            </a>
            {detail ? (
              <div class="muted">
                <bdi>{detail}</bdi>
              </div>
            ) : null}
          </li>
        ))}
      </ul>
    </Card>
  )
}

/**
 * `…/search`: people, groups, exhibitors, conference sessions, proposals and hotels of the event that contain the words, as far as the user
 * may see them.
 */
export function eventSearchPages(web: WebServices) {
  return createConsoleRouter(web).get(`${CONSOLE_EVENT_PATH}/search`, async (c) => {
    const at = await getEventPageContext(web, c)
    const { filter, cursorScope } = readListQuery(c, `search of ${at.event.id}`, ['search'])
    const { search } = filter
    const ctx = { ...at.reading, cursorScope }
    const found =
      search === undefined
        ? []
        : await Promise.all(
            LISTS.filter(({ permission }) => at.permissions.has(permission)).map(async (list) => ({
              list,
              records: await list.find(ctx, search, at),
            })),
          )
    const shown = found.filter(({ records }) => records.length > 0)
    const page = renderContentPage(
      {
        title: `Search ${at.event.name}`,
        heading: 'Search',
        text: 'Finds participants, groups, exhibitors, sessions, proposals and hotels of this event.',
        crumbs: [{ href: at.base, label: at.event.name }],
      },
      <>
        <Card pad={false}>
          <SearchBar
            action={`${at.base}/search`}
            search={{ label: `Search ${at.event.name}`, placeholder: 'Name, email, number or title', value: search }}
          />
        </Card>
        {search !== undefined && shown.length === 0 ? (
          <Card>
            <EmptyState title="Nothing found" ask={`Find ${search} at ${at.event.name}.`}>
              <p>All words must occur in the same record. Try fewer words, or only the beginning of a word.</p>
            </EmptyState>
          </Card>
        ) : null}
        {search === undefined ? null : shown.map((one) => <Found at={at} search={search} {...one} />)}
      </>,
    )
    return sendConsolePage(web, c, getNavigationPosition(at, 'search'), page)
  })
}
