import { toolset } from '../../kernel/tool.ts'
import assignEventStaff from './assign-event-staff.ts'
import configureDirectoryConnection from './configure-directory-connection.ts'
import configureDirectoryRequests from './configure-directory-requests.ts'
import configExplore from './config-explore.ts'
import configFind from './config-find.ts'
import configSet from './config-set.ts'
import validateSchema from './validate-schema.ts'
import publishEvent from './publish-event.ts'
import listVersions from './list-versions.ts'
import diffVersions from './diff-versions.ts'
import resetToVersion from './reset-to-version.ts'
import reviewFlow from './review-flow.ts'
import rehearseFlow from './rehearse-flow.ts'
import getFlowRehearsal from './get-flow-rehearsal.ts'
import createDirectoryConnection from './create-directory-connection.ts'
import deleteDirectoryConnection from './delete-directory-connection.ts'
import describeDirectoryConnection from './describe-directory-connection.ts'
import getCustomInstructions from './get-custom-instructions.ts'
import listDirectoryBindingOptions from './list-directory-binding-options.ts'
import listDirectoryConnections from './list-directory-connections.ts'
import listDirectoryPresets from './list-directory-presets.ts'
import getSetupTasks from './get-setup-tasks.ts'
import listEventStaff from './list-event-staff.ts'
import listMyEvents from './list-my-events.ts'
import removeEventStaff from './remove-event-staff.ts'
import retrieveMemories from './retrieve-memories.ts'
import searchMemories from './search-memories.ts'
import setDirectoryCredential from './set-directory-credential.ts'
import testDirectoryConnection from './test-directory-connection.ts'

export default toolset('events', [
  listMyEvents,
  getSetupTasks,
  configExplore,
  configFind,
  configSet,
  validateSchema,
  publishEvent,
  listVersions,
  diffVersions,
  resetToVersion,
  reviewFlow,
  rehearseFlow,
  getFlowRehearsal,
  listDirectoryPresets,
  listDirectoryConnections,
  describeDirectoryConnection,
  listDirectoryBindingOptions,
  createDirectoryConnection,
  configureDirectoryConnection,
  configureDirectoryRequests,
  setDirectoryCredential,
  testDirectoryConnection,
  deleteDirectoryConnection,
  listEventStaff,
  assignEventStaff,
  removeEventStaff,
  searchMemories,
  retrieveMemories,
  getCustomInstructions,
])
