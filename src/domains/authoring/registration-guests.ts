import { sql } from 'kysely'
import type { EventContext } from '../../kernel/context.ts'
import { invalidArguments, preconditionFailed } from '../../kernel/errors.ts'
import type { Configuration } from '../configuration/read.ts'
import type { ConfigDocument, EventConfig } from '../configuration/schema/event-config.ts'
import { getFlow } from '../registration/event-snapshot.ts'
import { editConfigDraft } from './edit.ts'

interface Request {
  flowSlug: string
  enabled: boolean
  max: number
  types: readonly { code: string; name: string; productCode: string }[]
  fields: readonly { binding: string; required: boolean }[]
  countsTowardCapacity: boolean
  ifRevision?: number | undefined
}

type DraftFlow = NonNullable<ConfigDocument['flows']>[number]
type Flow = EventConfig['flows'][number]

/** Configures in the draft which guests participants can bring through a flow, and adds a guests widget if the flow has none. */
export async function configureGuests(ctx: EventContext, { flowSlug, ifRevision, ...guests }: Request) {
  const warnings: string[] = []
  const operations = { flowSlug, ...guests }
  const edited = await editConfigDraft(
    ctx,
    { tool: 'configure_registration_guests', operations, ifRevision },
    async ({ document, config }) => {
      const flow = getHostFlow(config, flowSlug)
      checkGuestProducts(config, guests.types)
      await checkUsedTypes(ctx, flow, guests.types)
      warnings.push(...(await warnAboutHosts(ctx, flow, guests.max)))
      const flows = (document.flows ?? []).map((one) =>
        one.slug === flowSlug ? withGuestsWidget({ ...one, guests: toStoredGuests(guests) }, guests.enabled) : one,
      )
      return { ...document, flows }
    },
  )
  return {
    guests: getHostFlow(edited.after.config, flowSlug).guests!,
    draftRevision: edited.draftRevision,
    changed: edited.changes.map(({ path }) => path),
    needsPublish: true as const,
    warnings: [...warnings, ...edited.introduced.map(({ path, message }) => `${path}: ${message}`)],
  }
}

const toStoredGuests = ({ fields, ...guests }: Omit<Request, 'flowSlug' | 'ifRevision'>) => ({
  ...guests,
  types: [...guests.types],
  fields: fields.map(({ binding, required }) => ({ binding, required: required || isName(binding) })),
})

const isName = (binding: string) => /\.(firstName|lastName)$/.test(binding)

function getHostFlow(config: Configuration['config'], slug: string): Flow {
  const flow = getFlow({ config }, slug)
  if (flow.kind === 'guest')
    throw invalidArguments([{ path: 'flowSlug', message: `${slug} is a flow for guests, who cannot bring guests themselves` }])
  return flow
}

function checkGuestProducts({ products }: EventConfig, types: Request['types']): void {
  const errors = types.flatMap(({ productCode }, index) => {
    const product = products.find(({ code }) => code === productCode)
    const path = `types.${index}.productCode`
    if (!product) return [{ path, message: `no product ${productCode}` }]
    return product.category === 'guest'
      ? []
      : [{ path, message: `${productCode} is of category ${product.category}; guest types need a product of category guest` }]
  })
  if (errors.length > 0) throw invalidArguments(errors)
}

async function checkUsedTypes(ctx: EventContext, flow: Flow, types: Request['types']): Promise<void> {
  const removedTypes = (flow.guests?.types ?? []).map(({ code }) => code).filter((code) => !types.some((type) => type.code === code))
  if (removedTypes.length === 0) return
  const { rows } = await sql<{ type: string; count: number }>`
    select guest_type as type, count(*)::int as count from participants
    where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and flow_slug = ${flow.slug} and host_id is not null
      and status <> 'cancelled' and not is_test_data and guest_type = any(${removedTypes})
    group by guest_type order by guest_type`.execute(ctx.db)
  if (rows.length > 0) {
    throw preconditionFailed(rows.map(({ type, count }) => `${count} ${count === 1 ? 'guest uses' : 'guests use'} ${type}`).join('; '))
  }
}

async function warnAboutHosts(ctx: EventContext, flow: Flow, max: number): Promise<string[]> {
  const { rows } = await sql<{ hosts: number }>`
    select count(*)::int as hosts from (
      select host_id from participants
      where tenant_id = ${ctx.tenantId} and event_id = ${ctx.event.id} and flow_slug = ${flow.slug} and host_id is not null
        and status <> 'cancelled' and not is_test_data
      group by host_id having count(*) > ${max}) above`.execute(ctx.db)
  const { hosts } = rows[0]!
  return hosts === 0 ? [] : [`${hosts} ${hosts === 1 ? 'host has' : 'hosts have'} more than ${max} guests; those stay`]
}

/** Adds the guests widget to the flow, before the payment. */
function withGuestsWidget(flow: DraftFlow, enabled: boolean): DraftFlow {
  const types = (page: DraftFlow['pages'][number]) => (page.widgets ?? []).map(({ type }) => type)
  if (!enabled || flow.pages.some((page) => types(page).includes('guests'))) return flow
  const paying = flow.pages.findIndex((page) => types(page).includes('payment'))
  const ending = flow.pages.findIndex((page) => types(page).some((type) => type === 'confirmation' || type === 'redirect'))
  const at = paying >= 0 ? Math.max(0, paying - 1) : ending > 0 ? ending - 1 : flow.pages.length - 1
  const used = new Set(flow.pages.flatMap((page) => (page.widgets ?? []).map(({ id }) => id)))
  const id = ['guests', ...Array.from({ length: 100 }, (_, n) => `guests-${n + 2}`)].find((one) => !used.has(one))!
  const pages = flow.pages.map((page, index) => {
    if (index !== at) return page
    const widgets = page.widgets ?? []
    const before = widgets.findIndex(({ type }) => ['discountCode', 'orderSummary', 'payment'].includes(type))
    const position = before < 0 ? widgets.length : before
    return { ...page, widgets: [...widgets.slice(0, position), { id, type: 'guests' as const }, ...widgets.slice(position)] }
  })
  return { ...flow, pages } as DraftFlow
}
