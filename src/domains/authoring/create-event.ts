import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { slugOf } from '../../kernel/ids.ts'
import { toMoney } from '../../kernel/money.ts'
import type {} from '../access/tables.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { checkDocument } from '../configuration/structure.ts'
import { editDraft } from './edit.ts'
import { foundEvent, getEventRow, toEventRecord } from './event-records.ts'
import { setupTasks } from './setup/tasks.ts'
import { type Template, templateOf } from './templates/templates.ts'

interface Request {
  code?: string | undefined
  name: string
  startsOn: string
  endsOn: string
  timezone?: string | undefined
  currency?: string | undefined
  locale?: string | undefined
  venue?: Record<string, unknown> | undefined
  template: Template
}

/** A new event in test mode with a draft that can be published as it is. What is not said follows the client's settings. */
export async function createEvent(ctx: ClientContext, { name, startsOn, endsOn, venue, template, ...request }: Request) {
  const { default_currency, default_timezone } = await ctx.db
    .selectFrom('clients')
    .select(['default_currency', 'default_timezone'])
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  const [locale, currency] = [request.locale ?? 'en', request.currency ?? default_currency]
  const contactEmail = await loginEmailOf(ctx)
  const details = { name, startsOn, endsOn, ...(venue ? { venue } : {}), ...(contactEmail ? { contactEmail } : {}) }
  const document = rightly({ details, ...templateOf(template, { free: toMoney(0, currency).amount }) })
  const at = await foundEvent(ctx, {
    code: request.code ?? slugOf(name),
    name,
    starts_on: startsOn,
    ends_on: endsOn,
    timezone: request.timezone ?? default_timezone,
    currency,
    locale,
    locales: [locale],
  })
  await editDraft(at, { tool: 'create_event', operations: { template } }, () => document)
  const { tasks } = await setupTasks(at, { onlyOpen: true })
  return {
    event: toEventRecord(ctx.client.code, await getEventRow(at)),
    setupTasks: tasks.map(({ code, title, state, why }) => ({ code, title, state, why })),
    links: linksOf(at),
  }
}

/** Checked before anything is written, and told by the names of the arguments. */
function rightly(document: unknown): ConfigDocument {
  const checked = checkDocument(document)
  if (checked.ok) return checked.value
  throw invalidArguments(checked.issues.map(({ path, message }) => ({ path: path.replace('/details/', ''), message })))
}

async function loginEmailOf(ctx: ClientContext): Promise<string | null> {
  const user = await ctx.db
    .selectFrom('users')
    .select('email')
    .where('tenant_id', '=', ctx.tenantId)
    .where('id', '=', ctx.actor.id)
    .executeTakeFirst()
  return user?.email ?? null
}

/** Where people look at it. */
const linksOf = ({ baseUrl, client, event }: EventContext) => ({
  console: `${baseUrl}/console/events/${client.code}/${event.code}`,
  memory: `${baseUrl}/console/clients/${client.code}/memory`,
  settings: `${baseUrl}/console/clients/${client.code}/settings`,
})
