import type { Permission, Permissions } from '../../../kernel/permissions.ts'
import type { Snapshot } from '../../figures/query/snapshot.ts'

/**
 * A snapshot that notes which permissions its queries asked for and got. What was refused is not in the result, so readers of the result
 * need exactly the noted ones.
 */
export function recordPermissions(snapshot: Snapshot): { snapshot: Snapshot; used: () => Permission[] } {
  const used = new Set<Permission>()
  const held = new Set(snapshot.reader.permissions)
  const permissions: Permissions = new Proxy(held, {
    get(target, key) {
      if (key !== 'has') {
        const value = Reflect.get(target, key, target) as unknown
        return typeof value === 'function' ? value.bind(target) : value
      }
      return (permission: Permission) => {
        const granted = target.has(permission)
        if (granted) used.add(permission)
        return granted
      }
    },
  })
  const ctx = { ...snapshot.ctx, permissions }
  return { snapshot: { ...snapshot, ctx, reader: { ...snapshot.reader, permissions } }, used: () => [...used] }
}
