import { brief, count, cut, id, ifRevision, list, flag, object, oneOf, outsideText, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { importProducts, readPriceList } from '../../domains/imports/products.ts'
import { PRODUCT_FIELDS } from '../../domains/imports/product-columns.ts'
import { z } from 'zod'

export default eventTool({
  name: 'import_products',
  title: 'Import products from a spreadsheet',
  description:
    'Load a price list (tickets, fees, workshops) from CSV or XLSX into the draft: rows of one code are its price tiers; columns are recognised. Any wrong row: nothing is saved, errors name row and column. For single products use configure_event. Returns counts, errors and the detected mapping.',
  effect: 'change',
  permission: 'registration.write',
  idempotent: true,
  dryRun: true,
  input: {
    fileId: id().optional(),
    text: text(1_100_000).optional(),
    mapping: brief(
      list(object({ column: text(200), field: text(40) }), 200),
      `[{"column","field"}]; fields: ${PRODUCT_FIELDS.join(' ')} ignore`,
    ).optional(),
    mode: oneOf(['upsert', 'create']).default('upsert'),
    retireMissing: flag().default(false),
    decimalSeparator: oneOf(['.', ',']).optional(),
    ifRevision: ifRevision(),
  },
  output: {
    created: count(),
    updated: count(),
    unchanged: count(),
    retired: count(),
    errors: list(object({ row: count(), column: outsideText(), value: outsideText(), message: outsideText() })),
    detectedMapping: list(
      object({
        column: outsideText(),
        field: z.string().optional(),
        score: z.number().optional(),
        confidence: oneOf(['sure', 'check', 'told']).optional(),
      }),
    ),
    draftRevision: count(),
    ...cut,
  },
  reach: readPriceList,
  run: (ctx, { mapping = [], ...rest }, priceList) => importProducts(ctx, { ...rest, mapping }, priceList),
})
