import { describeContract, COMMON_CHECKS } from '../contract.ts'

describeContract('feedback', COMMON_CHECKS)
