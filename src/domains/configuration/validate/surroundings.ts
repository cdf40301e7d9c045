interface Connection {
  status: 'draft' | 'ready' | 'failing' | 'disabled'
  onFailure: 'allow' | 'block' | 'queue'
  /** What it names in turn: tags that its rules give, and bindings that it fills in. */
  tags?: readonly string[]
  fills?: readonly string[]
}

/** What a document names that lies outside of it. */
export interface Surroundings {
  /** Directory connections of the event by code. */
  connections: ReadonlyMap<string, Connection>
  /** Those of the files it names that are in the library of the event or its client, by id. */
  files: ReadonlyMap<string, { mime: string }>
}
