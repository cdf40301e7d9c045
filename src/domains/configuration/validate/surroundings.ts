/** What a document names that lies outside of it. */
export interface Surroundings {
  /** Directory connections of the event by code. */
  connections: ReadonlyMap<string, { status: 'draft' | 'ready' | 'failing' | 'disabled'; onFailure: 'allow' | 'block' | 'queue' }>
  /** Files of the event's library by id. */
  files: ReadonlyMap<string, { mime: string }>
}

export const NOTHING_AROUND: Surroundings = { connections: new Map(), files: new Map() }
