"""iterSVM, iterSVR and iterLS-SVM: labels and a kernel machine in turn."""
