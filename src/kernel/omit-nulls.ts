type WithoutNulls<T> = { [K in keyof T as null extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as null extends T[K] ? K : never]?: NonNullable<T[K]>
}

/** Removes the properties that are null: in long lists of results they only cost space. */
export const omitNulls = <T extends object>(record: T): WithoutNulls<T> =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)) as WithoutNulls<T>
