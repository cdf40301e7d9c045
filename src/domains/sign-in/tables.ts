declare module '../../kernel/columns.ts' {
  interface ColumnTypes {
    'browser_sessions.kind': 'organizer'
  }
}
