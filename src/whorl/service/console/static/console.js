// What pages do besides, where scripts run. Every page can be read and used without.
"use strict";
