import type { ClientAccess } from '../../../kernel/context.ts'
import { type Permission, type Permissions, getPermissionsInAnyScope, permissionsOf } from '../../../kernel/permissions.ts'
import type { BrowserSession } from '../../../domains/sign-in/sessions.ts'
import type { NavGroup, NavIcon, NavItem } from '../components/layout.tsx'

/** The parts of an event that the navigation needs. */
export interface EventForNavigation {
  base: string
  event: { name: string; timezone: string }
  permissions: Permissions
}

/** The position of a page in the console's navigation. */
export interface NavigationPosition {
  /** Path of the current navigation entry. */
  current: string
  /** The client whose settings the navigation shows. */
  client?: ClientAccess
  /** The event whose pages the navigation shows. */
  event?: EventForNavigation
}

/** The position of a client's or event's page in the navigation; `entry` is the last path segment of its navigation entry. */
export const getNavigationPosition = (
  at: { base: string; client: ClientAccess } | (EventForNavigation & { client: ClientAccess }),
  entry?: string,
): NavigationPosition => ({
  current: entry ? `${at.base}/${entry}` : at.base,
  client: at.client,
  ...('event' in at ? { event: at } : {}),
})

interface Section {
  path: string
  label: string
  icon: NavIcon
  needs: Permission
  /** Pages of the section. The navigation lists them only inside the section, so that it stays short. */
  pages?: readonly { path: string; label: string; needs?: Permission }[]
}

const EVENT_SECTIONS: readonly Section[] = [
  { path: 'draft', label: 'Draft', icon: 'draft', needs: 'events.read', pages: [{ path: 'versions', label: 'Versions' }] },
  {
    path: 'participants',
    label: 'Participants',
    icon: 'people',
    needs: 'registration.read',
    pages: [
      { path: 'waitlist', label: 'Waiting lists' },
      { path: 'groups', label: 'Groups' },
      { path: 'audience', label: 'Audience', needs: 'reports.read' },
    ],
  },
  { path: 'money', label: 'Money', icon: 'money', needs: 'registration.read', pages: [{ path: 'products', label: 'Products' }] },
  { path: 'program', label: 'Programme', icon: 'program', needs: 'sessions.read' },
  {
    path: 'companies',
    label: 'Exhibitors',
    icon: 'exhibitors',
    needs: 'exhibitors.read',
    pages: [{ path: 'floor-plans', label: 'Floor plans' }],
  },
  { path: 'housing', label: 'Housing', icon: 'housing', needs: 'housing.read' },
  {
    path: 'rfps',
    label: 'Sourcing',
    icon: 'sourcing',
    needs: 'sourcing.read',
    pages: [
      { path: 'briefs', label: 'Briefs' },
      { path: 'contracts', label: 'Contracts' },
      { path: 'milestones', label: 'Milestones' },
    ],
  },
  { path: 'emails', label: 'Emails', icon: 'emails', needs: 'email.read' },
  { path: 'onsite', label: 'On site', icon: 'onsite', needs: 'onsite.read' },
  { path: 'reports', label: 'Reports', icon: 'reports', needs: 'reports.read', pages: [{ path: 'surveys', label: 'Surveys' }] },
]

/** Lists the sections of an event, with the pages of the current section below it. */
function listEventItems({ base, permissions }: EventForNavigation, current: string): NavItem[] {
  const item = (path: string, label: string) => ({ href: `${base}/${path}`, label, current: `${base}/${path}` === current })
  const sections = EVENT_SECTIONS.filter(({ needs }) => permissions.has(needs)).flatMap(({ path, label, icon, pages = [] }): NavItem[] => {
    const own = { ...item(path, label), icon }
    const nested = pages
      .filter(({ needs }) => needs === undefined || permissions.has(needs))
      .map((page) => ({ ...item(page.path, page.label), nested: true }))
    return own.current || nested.some((page) => page.current) ? [own, ...nested] : [own]
  })
  return [{ href: base, label: 'Overview', current: base === current, icon: 'overview' }, ...sections]
}

const findClientWith = (session: BrowserSession, permission: Permission) =>
  session.access.clients.find((one) => permissionsOf(one.roles).has(permission))

/**
 * Lists the entries of the console's navigation that the user may open. Only the sections of the event have icons, because every icon adds
 * to the size of every page.
 */
export function listNavigation(session: BrowserSession, { current, client, event }: NavigationPosition): NavGroup[] {
  const anywhere = getPermissionsInAnyScope(session.access)
  const item = (href: string, label: string): NavItem => ({ href, label, current: current === href })
  const groups: NavGroup[] = event ? [{ title: event.event.name, untitled: true, items: listEventItems(event, current) }] : []
  groups.push({
    title: 'Work',
    items: [item('/console', 'Events'), item('/console/connect', 'Connect an assistant'), item('/console/mailbox', 'Mailbox')],
  })
  const shown = client ?? findClientWith(session, 'clients.read') ?? findClientWith(session, 'events.read')
  if (shown) {
    const base = `/console/clients/${shown.code}`
    const permissions = permissionsOf(shown.roles)
    const items = [
      ...(permissions.has('events.read') ? [item(`${base}/memory`, 'Memory')] : []),
      ...(permissions.has('sourcing.read') ? [item(`${base}/suppliers`, 'Suppliers')] : []),
      ...(permissions.has('clients.read')
        ? [
            item(`${base}/settings`, 'Settings'),
            item(`${base}/users`, 'Users'),
            item(`${base}/accounts`, 'API accounts'),
            item(`${base}/webhooks`, 'Webhooks'),
          ]
        : []),
    ]
    if (items.length > 0) groups.push({ title: shown.name, items })
  }
  if (anywhere.has('clients.read')) groups.push({ title: 'Record', items: [item('/console/audit', 'Audit log')] })
  groups.push({
    title: 'You',
    items: [
      item('/console/account', 'Account security'),
      item('/console/account/apps', 'Connected apps'),
      item('/console/feedback', 'Feedback'),
    ],
  })
  return groups
}
