import { toOneLine, flag, list, name, oneOf, text } from '../../kernel/args.ts'
import { eventTool } from '../../kernel/tool.ts'
import { discoverSupplier, SupplierFactShape, fetchSupplierFacts } from '../../domains/suppliers/discover.ts'
import { Supplier } from '../../domains/suppliers/shapes.ts'
import { SUPPLIER_KINDS } from '../../domains/suppliers/supplier-record.ts'

export default eventTool({
  name: 'discover_supplier',
  title: 'Read venue or property details off a website',
  description:
    'Add one hotel, venue or vendor by reading its own website or page (address, sales contact, rooms, capacity), or by name and city from the hotel catalog. Existing ones keep what they have. To find many use discover_suppliers_from_criteria. Returns the supplier and sources.',
  effect: 'change',
  permission: 'sourcing.write',
  openWorld: true,
  idempotent: true,
  input: {
    url: text(2000).optional(),
    name: name().optional(),
    city: text(120).optional(),
    kind: oneOf(SUPPLIER_KINDS).optional(),
    save: flag().default(true),
  },
  output: {
    supplier: Supplier,
    fields: list(toOneLine(SupplierFactShape, 'name, value, source, confidence high|medium|low')),
    merged: text().optional(),
  },
  prefetch: fetchSupplierFacts,
  run: discoverSupplier,
})
