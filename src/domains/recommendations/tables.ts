declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'recommendation_profiles.terms': Record<string, number>
  }
}
