import { describeContract, PARTICIPANT_CHECKS } from '../contract.ts'

describeContract('participants', PARTICIPANT_CHECKS)
