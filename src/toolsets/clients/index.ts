import { toolset } from '../../kernel/tool.ts'
import archiveEvent from './archive-event.ts'
import auditEvent from './audit-event.ts'
import cloneEvent from './clone-event.ts'
import configureEvent from './configure-event.ts'
import copyEventConfig from './copy-event-config.ts'
import createEvent from './create-event.ts'
import deleteTestImports from './delete-test-imports.ts'
import importEvent from './import-event.ts'
import listClients from './list-clients.ts'
import listEventConfigItems from './list-event-config-items.ts'
import listEvents from './list-events.ts'
import setupImportFlow from './setup-import-flow.ts'
import updateClient from './update-client.ts'
import updateEvent from './update-event.ts'

export default toolset('clients', [
  listClients,
  updateClient,
  listEvents,
  createEvent,
  configureEvent,
  updateEvent,
  cloneEvent,
  copyEventConfig,
  listEventConfigItems,
  archiveEvent,
  auditEvent,
  setupImportFlow,
  importEvent,
  deleteTestImports,
])
