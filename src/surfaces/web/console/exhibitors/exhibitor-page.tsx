import { APPLICATION_STATES, COMPANY_STATES } from '../../../../domains/exhibitors/states.ts'
import type { Tool } from '../../../../kernel/tool.ts'
import { renderChangePreviewPage } from '../../components/preview-then-confirm.tsx'
import { Notice, StatusDot, type ColourTone } from '../../components/parts.tsx'
import type { FormErrors } from '../../fields.ts'
import { getCsrfToken, type FormValues, type WebContext, type WebServices } from '../../web.ts'
import type { EventPageContext } from '../event/event-page.ts'
import { sendConsolePage } from '../frame.tsx'
import { getNavigationPosition } from '../navigation.ts'
import { CONFIRM_BUTTON, runFormToolCall, type ToolArguments } from '../tool-call.ts'

export type CompanyStatus = (typeof COMPANY_STATES.all)[number]
export type ApplicationStatus = (typeof APPLICATION_STATES.all)[number]

export const mayChangeExhibitors = ({ permissions, event }: EventPageContext): boolean =>
  permissions.has('exhibitors.write') && event.status !== 'archived'

const TABS = [
  { tab: 'companies', label: 'Companies' },
  { tab: 'applications', label: 'Applications' },
  { tab: 'leads', label: 'Leads' },
] as const
export type ExhibitorTab = (typeof TABS)[number]['tab']

export const ExhibitorTabs = ({ base, current }: { base: string; current: ExhibitorTab }) => (
  <nav class="tabs" aria-label="Exhibitors">
    {TABS.map(({ tab, label }) => (
      <a href={`${base}/${tab}`} aria-current={tab === current ? 'page' : undefined}>
        {label}
      </a>
    ))}
  </nav>
)

const TONES: Partial<Record<CompanyStatus | ApplicationStatus, ColourTone>> = {
  active: 'success',
  accepted: 'success',
  offered: 'warning',
  waitlisted: 'warning',
  rejected: 'danger',
  cancelled: 'danger',
  withdrawn: 'danger',
}
const OPEN: readonly string[] = ['prospect', 'draft', 'submitted', 'under_review']

export const ExhibitorStatusDot = ({ status }: { status: CompanyStatus | ApplicationStatus }) => (
  <StatusDot tone={TONES[status]} hollow={OPEN.includes(status)}>
    {status.replace('_', ' ')}
  </StatusDot>
)

/** A change that a page offers: the arguments of its tool, and the texts of its confirmation. */
export interface ExhibitorPageAction {
  tool: Tool
  args: ToolArguments
  title: string
  /** A sentence about the effect of the change, shown in addition to the numbers of the dry run. */
  effect: string
  button: string
  danger?: boolean
}

interface ActResult {
  effects?: { recipients?: number }
  order?: { total: { amount: string; currency: string } }
  skipped?: { reason: string; count: number }[]
}

interface SubmittedAct {
  act: ExhibitorPageAction
  form: FormValues
  fields: readonly string[]
  back: { href: string; label: string }
}

/** Shows the dry run of the tool, then makes the confirmed call. Returns the errors that the page with the form shows. */
export async function submitExhibitorPageAction(
  web: WebServices,
  c: WebContext,
  at: EventPageContext,
  { act, form, fields, back }: SubmittedAct,
): Promise<Response | FormErrors> {
  const call = await runFormToolCall<ActResult>(web, at, { tool: act.tool, args: act.args, form, fields })
  if ('done' in call) return c.redirect(`${back.href}?done=saved`, 303)
  if ('refused' in call) {
    const { message, details } = call.refused
    return details.fields
      ? { errors: details.fields.map((error) => ({ path: '', message: `${error.path}: ${error.message}` })) }
      : { message }
  }
  if ('unread' in call) return { message: 'The form could not be read. Fill it in again.' }
  const { result, hidden, isStale } = call.checked
  const sent = Object.fromEntries(fields.flatMap((name) => (form[name] ? [[name, form[name]]] : [])))
  const page = renderChangePreviewPage({
    title: act.title,
    crumbs: [{ href: back.href, label: back.label }],
    before: isStale ? <Notice tone="warning">The data has changed since you checked it. Check it again.</Notice> : null,
    action: c.req.path,
    csrf: getCsrfToken(web, c),
    hidden: { ...sent, ...hidden },
    effects: describeEffects(act, result),
    submit: act.button,
    submitAs: CONFIRM_BUTTON,
    tone: act.danger ? 'danger primary' : 'primary',
    back: { href: back.href, label: 'Cancel' },
  })
  return sendConsolePage(web, c, getNavigationPosition(at, 'companies'), page)
}

function describeEffects({ effect }: ExhibitorPageAction, { effects, order, skipped = [] }: ActResult): string {
  const emails = effects?.recipients ?? 0
  return [
    effect,
    order ? `The company's order changes by ${order.total.amount} ${order.total.currency}.` : '',
    emails > 0 ? `${emails === 1 ? '1 email is' : `${emails} emails are`} sent.` : '',
    ...skipped.map(({ reason, count }) => `No email for ${count}: ${reason}.`),
  ]
    .filter((text) => text !== '')
    .join(' ')
}
