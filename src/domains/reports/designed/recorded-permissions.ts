import type { Permission, Permissions } from '../../../kernel/permissions.ts'
import type { QuerySnapshot } from '../../figures/query/snapshot.ts'

/**
 * Returns a snapshot that records which permissions its queries required and the caller had. Denied columns are not in the result, so its
 * readers need exactly the recorded permissions.
 */
export function trackUsedPermissions(snapshot: QuerySnapshot): { snapshot: QuerySnapshot; used: () => Permission[] } {
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
