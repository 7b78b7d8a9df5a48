// Entry of the thread that reads identity providers' documents, before anything about them is verified.
import { serveTasks } from '../runtime/task-thread.ts';
import { performTask } from './tasks.ts';

serveTasks(performTask);
