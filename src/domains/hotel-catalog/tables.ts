import type { HotelFacts } from '../../kernel/hotel-providers.ts'

declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'provider_hotels.facts': HotelFacts
  }
}
