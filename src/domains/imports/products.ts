import type { EventContext } from '../../kernel/context.ts'
import { groupErrorsByKind } from '../../kernel/error-kinds.ts'
import { AppError } from '../../kernel/errors.ts'
import { mergeIntoConfigDraft } from '../authoring/merge-into-draft.ts'
import { isDeepEqual } from '../configuration/diff/diff.ts'
import type { Configuration } from '../configuration/read.ts'
import type { EventConfig, Product } from '../configuration/schema/event-config.ts'
import { toProductInventoryKey, readStockLevels } from '../inventory/units.ts'
import type { SheetRow } from '../sheets/cells.ts'
import { computeSheetProfile, type SheetProfile } from '../sheets/profile.ts'
import { openSingleSheet } from './library-sheets.ts'
import type { ColumnOverride } from './mapping.ts'
import { mapProductColumns } from './product-columns.ts'
import { type PriceListProduct, readPriceListProducts, type PriceListRowError } from './product-rows.ts'

interface Request {
  mapping: readonly ColumnOverride[]
  mode: 'upsert' | 'create'
  retireMissing: boolean
  decimalSeparator?: '.' | ',' | undefined
  ifRevision?: number | undefined
}

export interface PriceList extends SheetProfile {
  content: readonly SheetRow[]
}

const MAX_ROWS = 10_000

/** Reads a price list before the database transaction begins, because a file may be slow to read. */
export async function readPriceList(
  ctx: Parameters<typeof openSingleSheet>[0] & EventContext,
  source: Parameters<typeof openSingleSheet>[1],
): Promise<PriceList> {
  const sheet = await openSingleSheet(ctx, source)
  const content: SheetRow[] = []
  for await (const row of sheet.rows()) {
    if (content.length === MAX_ROWS) throw new AppError('limit_exceeded', `A price list has at most ${MAX_ROWS} rows`)
    content.push(row)
  }
  return { ...(await computeSheetProfile(sheet)), content }
}

/** Merges the products of a price list into the draft by code. If any row is invalid, nothing is imported. */
export async function importProducts(ctx: EventContext, request: Request, list: PriceList) {
  const columns = mapProductColumns(list.columns, request)
  const detectedMapping = columns.mapped.map(({ column, field, score, confidence }) =>
    field === null ? { column } : { column, field, score, confidence: confidence! },
  )
  let errors: PriceListRowError[] = []
  let listed: PriceListProduct[] = []
  const edit = { tool: 'import_products', operations: { rows: list.rows, mode: request.mode }, ifRevision: request.ifRevision }
  const { edited } = await mergeIntoConfigDraft(ctx, edit, async (draft) => {
    const read = readPriceListProducts(list.content, columns, { ...draft, timezone: draft.facts.timezone, currency: draft.facts.currency })
    listed = read.products
    errors = [...read.errors, ...(await checkProducts(ctx, draft, read, request, columns.at))]
    return errors.length > 0 ? {} : { products: toDraftParts(draft.config, listed, request) }
  })
  const counts = errors.length > 0 ? NO_CHANGES : countChanges(edited, listed)
  const { shown, errorKinds } = groupErrorsByKind(errors)
  return {
    ...counts,
    errors: shown,
    errorKinds,
    ...(shown.length < errors.length
      ? { truncated: true as const, note: `Shows ${shown.length} of ${errors.length} errors: errorKinds has the lines of each kind` }
      : {}),
    detectedMapping,
    unknownColumns: columns.unknown,
    draftRevision: edited.draftRevision,
  }
}

const NO_CHANGES = { created: 0, updated: 0, unchanged: 0, retired: 0 }

const PRICE_FIELDS = ['price', 'earlyPrice', 'earlyUntil'] as const

/** Checks the products of a price list against each other, the draft configuration and the units already sold. */
async function checkProducts(
  ctx: EventContext,
  { config }: Pick<Configuration, 'config'>,
  { products: listed, errors: rowErrors }: ReturnType<typeof readPriceListProducts>,
  { mode }: Request,
  at: ReturnType<typeof mapProductColumns>['at'],
): Promise<PriceListRowError[]> {
  const known = new Map(config.products.map((product) => [product.code, product]))
  const stock = await readStockLevels(
    ctx,
    listed.map(({ code }) => toProductInventoryKey(code)),
  )
  const name = (field: Parameters<typeof at.get>[0]) => at.get(field)?.name ?? field
  const needs = new Map([
    ...config.products.map(({ code, requires }) => [code, requires] as const),
    ...listed.flatMap(({ code, given }) => (given.requires === undefined ? [] : [[code, given.requires as string[]] as const])),
  ])
  return listed.flatMap(({ code, row, given, prices }): PriceListRowError[] => {
    const sold = stock.get(toProductInventoryKey(code))?.sold ?? 0
    const { capacity, requires } = given as { capacity?: number; requires?: string[] }
    // A missing price is not reported in addition to an invalid price cell of the same product.
    const priceColumns = PRICE_FIELDS.map(name)
    const free = prices.length === 0 && !known.has(code) && !rowErrors.some(({ column }) => priceColumns.includes(column))
    return [
      ...(free ? [{ row, column: name('price'), value: '', message: 'this product is new and needs a price; use 0 for free' }] : []),
      ...(mode === 'create' && known.has(code)
        ? [{ row, column: name('code'), value: code, message: 'this product already exists; use mode upsert to change it' }]
        : []),
      ...(capacity !== undefined && capacity < sold
        ? [{ row, column: name('capacity'), value: String(capacity), message: `is below the ${sold} already sold` }]
        : []),
      ...(requires !== undefined && reaches(needs, code, code)
        ? [{ row, column: name('requires'), value: requires.join(', '), message: 'this product requires itself through other products' }]
        : []),
    ]
  })
}

function reaches(needs: ReadonlyMap<string, readonly string[]>, from: string, wanted: string): boolean {
  const seen = new Set<string>()
  const open = [...(needs.get(from) ?? [])]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === wanted) return true
    if (seen.has(next)) continue
    seen.add(next)
    open.push(...(needs.get(next) ?? []))
  }
  return false
}

/** Converts the rows of a price list to changes of products in the draft. New products get a default name and category. */
function toDraftParts({ products }: EventConfig, listed: readonly PriceListProduct[], { retireMissing }: Request): object[] {
  const known = new Set(products.map(({ code }) => code))
  const wanted = new Set(listed.map(({ code }) => code))
  const parts = listed.map(({ code, given, prices }) => ({
    ...(known.has(code) ? {} : { name: code, category: 'other' }),
    ...given,
    code,
    ...(prices.length > 0 ? { prices: prices.map(({ tier }) => tier) } : {}),
    // With `retireMissing`, products that the price list lacks are retired, and retired products that it contains are offered again.
    ...(retireMissing ? { retired: false } : {}),
  }))
  const missing = retireMissing ? products.filter(({ code, retired }) => !wanted.has(code) && !retired) : []
  return [...parts, ...missing.map(({ code }) => ({ code, retired: true }))]
}

function countChanges({ before, after }: { before: Configuration; after: Configuration }, listed: readonly PriceListProduct[]) {
  const byCode = ({ config }: Configuration) => new Map(config.products.map((product): [string, Product] => [product.code, product]))
  const [was, is] = [byCode(before), byCode(after)]
  const changed = listed.filter(({ code }) => was.has(code) && !isDeepEqual(was.get(code), is.get(code))).length
  const created = listed.filter(({ code }) => !was.has(code)).length
  const retired = [...is.values()].filter(({ code, retired: now }) => now && was.get(code)?.retired === false).length
  return { created, updated: changed, unchanged: listed.length - created - changed, retired }
}
