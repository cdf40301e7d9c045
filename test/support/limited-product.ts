import { WORKED_EXAMPLE } from './worked-example.ts'

/** Returns a product of which only the given number can be sold. */
export const buildLimitedProduct = (capacity: number, more: { waitlist?: boolean } = {}) => ({
  code: 'seat',
  name: 'Seat',
  category: 'session',
  taxCode: 'vat-20',
  prices: [{ amount: '50.00' }],
  capacity,
  ...more,
})

/** Configuration of an event that also sells the given limited product. */
export const limitedProductSections = (seats: ReturnType<typeof buildLimitedProduct>) => ({
  ...WORKED_EXAMPLE,
  products: [...WORKED_EXAMPLE.products, seats],
  flows: WORKED_EXAMPLE.flows.slice(0, 1).map((flow) => ({
    ...flow,
    pages: flow.pages.map((page) =>
      page.code === 'choices' ? { ...page, widgets: [{ id: 'seats', type: 'products', products: ['seat'] }, ...page.widgets] } : page,
    ),
  })),
})
