import { toOneLine, country, email, object, text } from '../../kernel/args.ts'

/** The billing address as an organizer enters it. */
export const BillToInput = toOneLine(
  object({
    name: text(200).optional(),
    company: text(200).optional(),
    address1: text(200).optional(),
    address2: text(200).optional(),
    city: text(120).optional(),
    region: text(120).optional(),
    postalCode: text(20).optional(),
    country: country().optional(),
    email: email().optional(),
    taxId: text(40).optional(),
  }),
  'name, company, address1, address2, city, region, postalCode, country, email, taxId',
)
