// Entry point of the bundle. Modules that load later must import `start.tsx` instead, because importing this file would
// start the app again.
import { start } from './start.tsx';

void start();
