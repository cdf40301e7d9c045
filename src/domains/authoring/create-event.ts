import type { ClientContext, EventContext } from '../../kernel/context.ts'
import { invalidArguments } from '../../kernel/errors.ts'
import { toSlug } from '../../kernel/ids.ts'
import { toMoney } from '../../kernel/money.ts'
import { tenantDb } from '../../kernel/scoped-db.ts'
import type { ConfigDocument } from '../configuration/schema/event-config.ts'
import { validateDocumentStructure } from '../configuration/structure.ts'
import { editConfigDraft } from './edit.ts'
import { insertEvent, getEventRow, toEventRecord } from './event-records.ts'
import { listSetupTasks } from './setup/tasks.ts'
import { type Template, buildTemplate } from './templates/templates.ts'

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

/** Creates an event in test mode with a draft that can be published immediately. Omitted values follow the client's settings. */
export async function createEvent(ctx: ClientContext, { name, startsOn, endsOn, venue, template, ...request }: Request) {
  const { default_currency, default_timezone } = await tenantDb(ctx)
    .selectFrom('clients')
    .select(['default_currency', 'default_timezone'])
    .where('id', '=', ctx.client.id)
    .executeTakeFirstOrThrow()
  const [locale, currency] = [request.locale ?? 'en', request.currency ?? default_currency]
  const contactEmail = await loginEmailOf(ctx)
  const details = { name, startsOn, endsOn, ...(venue ? { venue } : {}), ...(contactEmail ? { contactEmail } : {}) }
  const document = ensureValidDocument({ details, ...buildTemplate(template, { free: toMoney(0, currency).amount, locale }) })
  const at = await insertEvent(ctx, {
    code: request.code ?? toSlug(name),
    name,
    starts_on: startsOn,
    ends_on: endsOn,
    timezone: request.timezone ?? default_timezone,
    currency,
    locale,
    locales: [locale],
  })
  await editConfigDraft(at, { tool: 'create_event', operations: { template } }, () => document)
  const { tasks } = await listSetupTasks(at, { onlyOpen: true })
  return {
    event: toEventRecord(ctx.client.code, await getEventRow(at)),
    setupTasks: tasks.map(({ code, title, state, why }) => ({ code, title, state, why })),
    links: buildLinks(at),
  }
}

/** Checks the configuration before anything is written, and reports errors under the names of the tool's arguments. */
function ensureValidDocument(document: unknown): ConfigDocument {
  const checked = validateDocumentStructure(document)
  if (checked.ok) return checked.value
  throw invalidArguments(checked.issues.map(({ path, message }) => ({ path: path.replace('/details/', ''), message })))
}

async function loginEmailOf(ctx: ClientContext): Promise<string | null> {
  const user = await tenantDb(ctx).selectFrom('users').select('email').where('id', '=', ctx.actor.id).executeTakeFirst()
  return user?.email ?? null
}

const buildLinks = ({ baseUrl, client, event }: EventContext) => ({
  console: `${baseUrl}/console/events/${client.code}/${event.code}`,
  memory: `${baseUrl}/console/clients/${client.code}/memory`,
  settings: `${baseUrl}/console/clients/${client.code}/settings`,
})
