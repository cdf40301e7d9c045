import { toOneLine, count, truncationResult, id, ifRevision, list, flag, object, oneOf, untrustedText, text } from '../../kernel/args.ts'
import { errorKindListSchema } from '../../kernel/error-kinds.ts'
import { defineImportTool } from '../../domains/imports/import-tool.ts'
import { importProducts, readPriceList } from '../../domains/imports/products.ts'
import { z } from 'zod'

export default defineImportTool({
  name: 'import_products',
  title: 'Import products from a spreadsheet',
  description:
    'Import a price list from a spreadsheet (Excel, CSV; fee schedule, ticket types, workshops, SKUs, price tiers, seat limits) into the draft; columns are recognised. Rows of one code are its tiers. One wrong row: nothing is saved. For single products use configure_event. Returns counts, errors by row and the detected mapping.',
  effect: 'change',
  permission: 'registration.write',
  idempotent: true,
  dryRun: true,
  input: {
    fileId: id('file').optional(),
    text: text(1_100_000).optional(),
    mapping: toOneLine(
      list(object({ column: text(200), field: text(40) }), 200),
      '[{"column","field"}]; field: code, name, price, priceTags, capacity, taxCode, ignore ...',
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
    errors: toOneLine(
      list(object({ row: count(), column: untrustedText(), value: untrustedText(), message: untrustedText() })),
      'row, column, value, message',
    ),
    errorKinds: errorKindListSchema({ column: untrustedText() }),
    detectedMapping: toOneLine(
      list(
        object({
          column: untrustedText(),
          field: z.string().optional(),
          score: z.number().optional(),
          confidence: oneOf(['sure', 'check', 'told']).optional(),
        }),
      ),
      'column, field, score, confidence (sure, check, told)',
    ),
    unknownColumns: list(untrustedText()),
    draftRevision: count(),
    ...truncationResult,
  },
  prefetch: readPriceList,
  run: (ctx, { mapping = [], ...rest }, priceList) => importProducts(ctx, { ...rest, mapping }, priceList),
})
